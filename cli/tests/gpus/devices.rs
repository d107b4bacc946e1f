//! What is listed, and which device a line file means.

use std::fs;

use serde_json::Value;

use crate::support::{ONE, On, boards, command, folder, is_here, run, run_with};

fn listed(spec: &str, visible: Option<&str>) -> Vec<Value> {
    let mut command = command(On::Cuda, spec);
    if let Some(visible) = visible {
        command.env("CUDA_VISIBLE_DEVICES", visible);
    }
    let output = command.args(["devices", "--json"]).output().expect("it starts");
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    let devices = listed["devices"].as_array().expect("a list").iter();
    devices
        .filter(|device| device["stand_in"] == true || !device["pci"].is_null())
        .cloned()
        .collect()
}

fn uuid(card: u8, slice: u8) -> String {
    format!("7374616e-642d-696e-206e-6f204750{card:02x}{slice:02x}")
}

#[test]
fn each_card_is_listed_once_with_what_is_known_of_it() {
    let devices = listed("cards=2 order=reverse used=512", None);
    assert_eq!(devices.len(), 2, "{devices:?}");
    for (card, device) in (0..).zip(&devices) {
        assert_eq!(
            device["uuid"],
            format!("GPU-{}", uuid(card, 0)),
            "by address, not as CUDA counts"
        );
        assert_eq!(device["pci"], format!("0000:{:02x}:00.0", 0x10 + card));
        assert_eq!(device["memory"], 16_u64 << 30);
        assert_eq!(device["used"], 512 << 20);
        assert_eq!((&device["usable"], &device["stand_in"]), (&true.into(), &true.into()));
    }
}

#[test]
fn with_mig_on_slices_are_listed_and_the_card_can_not_be_used() {
    let devices = listed("mig=3", None);
    assert_eq!(devices.len(), 4);
    assert_eq!(devices[0]["usable"], false);
    for (at, slice) in (1_u8..).zip(&devices[1..]) {
        assert_eq!(slice["uuid"], format!("MIG-{}", uuid(0, at)));
        assert_eq!((&slice["usable"], &slice["profile"]), (&true.into(), &"1g.5gb".into()));
        assert_eq!(slice["in_process"], at == 1, "a process sees one");
    }
    let second = format!("MIG-{}", uuid(0, 2));
    let devices = listed("mig=3", Some(&second));
    let usable: Vec<&Value> = devices.iter().filter(|it| it["usable"] == true).collect();
    assert_eq!(usable.len(), 1);
    assert_eq!((&usable[0]["uuid"], &usable[0]["in_process"]), (&second.into(), &true.into()));
}

#[test]
fn what_the_environment_hides_is_listed_but_not_used() {
    let devices = listed("cards=2", Some(&format!("GPU-{}", uuid(1, 0))));
    let usable: Vec<bool> = devices.iter().map(|it| it["usable"] == true).collect();
    assert_eq!(usable, [false, true]);
}

#[test]
fn memory_that_nobody_knows_is_not_nothing() {
    let devices = listed("memory=unknown", None);
    assert_eq!(devices[0]["used"], Value::Null);
    assert_eq!(devices[0]["memory"], 16_u64 << 30, "CUDA knows what there is in all");
}

#[test]
fn a_line_names_the_device_that_it_means() {
    if !is_here(On::Cuda) {
        return;
    }
    let by_uuid = format!("uuid = \"gpu-{}\"", uuid(1, 0).to_uppercase());
    for (at, key) in
        [&by_uuid, "pci = \"11:00.0\"", "card = \"stand-in 1*\""].into_iter().enumerate()
    {
        let folder = folder(&format!("named-{at}"));
        let device = format!("[[device]]\nname = \"gpu0\"\nmemory = \"1GiB\"\n{key}\n");
        let line = boards(&folder, &device, "");
        // Whatever touches the other card loses it.
        let spec = "cards=2 lost=1 every=1 on=0";
        let ran = run(On::Cuda, &line, &format!("named-{at}-run"), spec);
        assert_eq!(ran.code, Some(0), "{key}: {}", ran.stderr);
        assert!(ran.events("unit").is_empty(), "{key}");
        ran.check_clean();
    }
}

#[test]
fn a_line_that_asks_for_what_is_not_here_is_refused_before_anything_starts() {
    let wants = [
        "uuid = \"GPU-00000000-0000-0000-0000-000000000000\"",
        "pci = \"0000:99:00.0\"",
        "card = \"RTX*\"",
    ];
    for (at, key) in wants.into_iter().enumerate() {
        let folder = folder(&format!("absent-{at}"));
        let device = format!("[[device]]\nname = \"gpu0\"\nmemory = \"1GiB\"\n{key}\n");
        let line = boards(&folder, &device, "fallback = \"allow\"");
        let ran = run_with(On::Cuda, &line, &format!("absent-{at}-run"), "", &[]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("gpu0") && ran.stderr.contains("Stand-in 0"), "{}", ran.stderr);
        assert!(!ran.out.exists());
    }
}

#[test]
fn one_card_is_not_two_devices() {
    let folder = folder("twice");
    let device = |name: &str| {
        format!("[[device]]\nname = \"{name}\"\nmemory = \"1GiB\"\npci = \"0000:10:00.0\"\n")
    };
    let line = boards(&folder, &(device("gpu0") + &device("gpu1")), "");
    let ran = run(On::Cuda, &line, "twice-run", "");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("`gpu0` already"), "{}", ran.stderr);
}

#[test]
fn without_devices_a_line_gets_what_is_here() {
    let folder = folder("none");
    let line = boards(&folder, "", "");
    let text = fs::read_to_string(&line).expect("the line");
    let begin = text.find("[[job]]").expect("a job");
    fs::write(&line, &text[begin..]).expect("written");
    let ran = run_with(On::Cuda, &line, "none-run", "cards=2", &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let granted: Vec<&str> =
        ran.events("grant").iter().filter_map(|grant| grant["units"][0].as_str()).collect();
    assert!(granted.contains(&"cpu") && granted.contains(&"gpu0"), "{granted:?}");
    ran.check_clean();
}

#[test]
fn what_others_hold_is_not_leased() {
    let folder = folder("foreign");
    let line = boards(&folder, ONE, "");
    // 16 GiB less 15.95 GiB is less than a lease of 64 MB needs.
    let ran = run(On::Cuda, &line, "foreign-run", "used=16333");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(!ran.out.exists());
}

#[test]
fn a_place_that_is_not_here_is_refused() {
    let folder = folder("no-place");
    let line = boards(&folder, ONE, "");
    let ran = run_with(On::Host, &line, "no-place-run", "", &["--place", "cuda"]);
    // Unless this machine has one.
    if ran.code != Some(0) {
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("CUDA") && !ran.out.exists(), "{}", ran.stderr);
    }
}
