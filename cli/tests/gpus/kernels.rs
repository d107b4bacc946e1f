//! Kernels of the user's own.

use std::fs;

use crate::support::{On, command, example, folder, is_here, run, run_with};

#[test]
fn the_example_makes_the_same_pictures_on_every_gpu() {
    let line = example("kernel").join("line.toml");
    let mut all = Vec::new();
    for on in [On::Vulkan, On::Cuda].into_iter().filter(|on| is_here(*on)) {
        let ran = run(on, &line, &format!("kernel-{on:?}"), "");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.check_done_once("edges", 4);
        ran.check_clean();
        let picture = |board: u32| {
            fs::read(ran.out.join(format!("results/board-0{board}.png"))).expect("a picture")
        };
        all.push((1..=4).map(picture).collect::<Vec<_>>());
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "the same to the last byte");
}

/// A line with one kernel of its own on nothing but bytes.
fn line(name: &str, file: &str, code: &str, kernel: &str) -> std::path::PathBuf {
    let folder = folder(name);
    fs::write(folder.join(file), code).expect("written");
    let line = folder.join("line.toml");
    let text = format!(
        "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"1GiB\"\n\
         [[device]]\nname = \"gpu0\"\nmemory = \"1GiB\"\n\
         [[job]]\nname = \"mine\"\nimages = 3\nneeds = \"vulkan\"\n[job.kernel]\n\
         module = \"{file}\"\nentry = \"mine\"\n{kernel}\n\
         [[job]]\nname = \"save\"\nkind = \"legacy\"\nneeds = \"cpu\"\n\
         after = [\"mine\"]\nimages = 3\n\
         kernel = {{ tool = \"save\" }}\n"
    );
    fs::write(&line, text.replace("needs = \"vulkan\"\n", "kind = \"legacy\"\n")).expect("written");
    line
}

const COUNT: &str = "
struct Arguments { image: u32, half: f32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> table: array<u32>;
@group(0) @binding(1) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(4)
fn mine(@builtin(global_invocation_id) id: vec3<u32>) {
    numbers[id.x] = table[0] + id.x * 10u + arguments.image + u32(arguments.half * 200.0);
}
";

#[test]
fn a_kernel_has_files_arguments_and_bytes_of_its_own() {
    if !is_here(On::Vulkan) {
        return;
    }
    let kernel = "buffers = [{ file = \"table.bin\" }, { to = \"32B\" }]\n\
                  arguments = [\"image\", 0.5]\nthreads = 8";
    let line = line("mine", "mine.wgsl", COUNT, kernel);
    fs::write(line.with_file_name("table.bin"), 1000_u32.to_le_bytes()).expect("written");
    let ran = run(On::Vulkan, &line, "mine-run", "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.check_clean();
    for image in 0..3_u32 {
        let bytes = fs::read(ran.out.join(format!("results/{image}.bin"))).expect("bytes");
        let numbers: Vec<u32> =
            bytes.chunks_exact(4).map(|it| u32::from_le_bytes(it.try_into().unwrap())).collect();
        let expected: Vec<u32> = (0..8).map(|at| 1000 + at * 10 + image + 100).collect();
        assert_eq!(numbers, expected);
    }
}

#[test]
fn a_kernel_that_reaches_beside_its_buffers_hurts_nobody() {
    if !is_here(On::Vulkan) {
        return;
    }
    let code = COUNT.replace("numbers[id.x]", "numbers[id.x * 100000u]");
    let kernel = "buffers = [{ zeros = \"4B\" }, { to = \"32B\" }]\n\
                  arguments = [\"image\", 0.5]\nthreads = 8";
    let line = line("beside", "mine.wgsl", &code, kernel);
    let ran = run(On::Vulkan, &line, "beside-run", "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.check_clean();
    let bytes = fs::read(ran.out.join("results/1.bin")).expect("bytes");
    assert_eq!(bytes[..8], [101, 0, 0, 0, 0, 0, 0, 0], "what was written beside is not here");
}

#[test]
fn faults_of_a_kernel_are_told_with_file_and_line_before_anything_runs() {
    let good = "buffers = [{ zeros = \"4B\" }, { to = \"32B\" }]\narguments = [\"image\", 0.5]";
    let typed = COUNT.replace("id.x * 10u", "id.y * 10");
    let cases = [
        ("syntax", COUNT.replace("fn mine(", "fn mine[("), good, "mine.wgsl:7:"),
        ("name", COUNT.replace("table[0]", "tabel[0]"), good, "mine.wgsl:8:"),
        ("type", typed.replace("arguments.image +", "true +"), good, "mine.wgsl:8:"),
        ("entry", COUNT.replace("fn mine", "fn yours"), good, "no entry point `mine`"),
        ("binding", COUNT.replace("@binding(1)", "@binding(7)"), good, "@binding(7)"),
        (
            "arguments",
            COUNT.to_owned(),
            "buffers = [{ zeros = \"4B\" }, { to = \"4B\" }]",
            "8 bytes",
        ),
        ("product", COUNT.to_owned(), "buffers = [{ zeros = \"4B\" }]", "the product"),
        ("key", COUNT.to_owned(), "bufers = []", "bufers"),
    ];
    for (name, code, kernel, told) in cases {
        let line = line(&format!("fault-{name}"), "mine.wgsl", &code, kernel);
        let output = command(On::Host, "").arg("check").arg(&line).output().expect("it starts");
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.contains(told), "{name}: {text}");
    }
}

#[test]
fn a_kernel_without_a_form_for_a_gpu_is_refused() {
    let kernel = "buffers = [{ zeros = \"4B\" }, { to = \"32B\" }]\narguments = [\"image\", 0.5]";
    let line = line("form", "mine.wgsl", COUNT, kernel);
    let ran = run_with(On::Cuda, &line, "form-run", "", &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("no form") && !ran.out.exists(), "{}", ran.stderr);
}
