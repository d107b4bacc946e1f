//! What drivers say, and what is here then: each thing once.

use lineside_devices::{
    Answer, CudaSeen, Device, Inventory, Kind, NvmlSeen, Pci, Seen, SliceSeen, Uuid, VulkanSeen,
    Wishes, merge,
};

const GIB: u64 = 1 << 30;

fn uuid(last: u8) -> Uuid {
    let mut bytes = [7; 16];
    bytes[15] = last;
    Uuid(bytes)
}

fn pci(bus: u8) -> Answer<Pci> {
    Answer::Known(Pci { domain: 0, bus, device: 0, function: 0 })
}

fn nvml(card: u8) -> NvmlSeen {
    NvmlSeen {
        name: format!("NVIDIA card {card}"),
        uuid: Answer::Known(uuid(card)),
        pci: pci(card),
        memory: Answer::Known((16 * GIB, GIB)),
        driver: "550.54".into(),
        ..NvmlSeen::default()
    }
}

fn cuda(card: u8, ordinal: u32) -> CudaSeen {
    CudaSeen {
        ordinal,
        name: format!("NVIDIA card {card}"),
        uuid: Answer::Known(uuid(card)),
        pci: pci(card),
        memory: Answer::Known(16 * GIB),
        version: 12040,
        ..CudaSeen::default()
    }
}

fn vulkan(card: u8, index: u32) -> VulkanSeen {
    VulkanSeen {
        index,
        name: format!("NVIDIA card {card}"),
        uuid: Answer::Known(uuid(card)),
        pci: pci(card),
        kind: Kind::Discrete,
        vendor: 0x10de,
        driver: "NVIDIA".into(),
        memory: Answer::Known(16 * GIB),
        ..VulkanSeen::default()
    }
}

fn found(seen: &Seen) -> Inventory {
    merge(seen, Wishes::default())
}

fn usable(inventory: &Inventory) -> Vec<&Device> {
    inventory.devices.iter().filter(|device| device.is_usable()).collect()
}

#[test]
fn a_card_that_all_three_see_is_one_device() {
    let seen = Seen {
        cuda: Some(vec![cuda(1, 0)]),
        nvml: vec![nvml(1)],
        vulkan: vec![vulkan(1, 0)],
        ..Seen::default()
    };
    let inventory = found(&seen);
    let [device] = &inventory.devices[..] else { panic!("{inventory:?}") };
    assert_eq!(
        (device.memory, device.used, device.free()),
        (Some(16 * GIB), Some(GIB), Some(15 * GIB))
    );
    assert!(device.cuda.is_some() && device.vulkan.is_some());
    assert_eq!(device.uuid, Some(format!("GPU-{}", uuid(1))));
    assert!(device.driver.contains("550.54") && device.driver.contains("12.4"));
}

#[test]
fn the_order_of_cuda_and_that_of_the_bus_may_differ() {
    // CUDA names the fast card first, NVML goes by the bus.
    let seen = Seen {
        cuda: Some(vec![cuda(2, 0), cuda(1, 1)]),
        nvml: vec![nvml(1), nvml(2)],
        vulkan: vec![vulkan(2, 0), vulkan(1, 1)],
        ..Seen::default()
    };
    let inventory = found(&seen);
    let ordinals: Vec<_> =
        inventory.devices.iter().map(|device| device.cuda.unwrap().ordinal).collect();
    assert_eq!(ordinals, [Some(1), Some(0)], "by address");
    for device in &inventory.devices {
        assert_eq!(device.uuid, Some(format!("GPU-{}", uuid(device.pci.unwrap().bus))));
    }
}

#[test]
fn one_card_through_two_vulkan_drivers_is_one_device_of_its_own_driver() {
    for order in [[0, 1], [1, 0]] {
        let native = VulkanSeen { driver: "RADV".into(), vendor: 0x1002, ..vulkan(1, order[0]) };
        let layered = VulkanSeen {
            driver: "Dozen".into(),
            layered: true,
            // Two drivers need not agree about more than the address.
            uuid: Answer::Known(uuid(99)),
            ..vulkan(1, order[1])
        };
        let mut both = [native, layered];
        both.sort_by_key(|vulkan| vulkan.index);
        let inventory = found(&Seen { vulkan: both.into(), ..Seen::default() });
        let [device] = &inventory.devices[..] else { panic!("{inventory:?}") };
        assert_eq!(device.vulkan.unwrap().index, order[0]);
        assert!(inventory.notes.iter().any(|note| note.contains("Dozen")), "{inventory:?}");
    }
    // Without addresses the UUID has to do.
    let nowhere = |index| VulkanSeen { pci: Answer::NotSupported, ..vulkan(1, index) };
    let twice = Seen { vulkan: vec![nowhere(0), nowhere(1)], ..Seen::default() };
    assert_eq!(found(&twice).devices.len(), 1);
}

#[test]
fn cards_that_are_alike_stay_two() {
    // Drivers that make the UUID of the model, or of nothing.
    for same in [uuid(1), Uuid([0; 16]), Uuid([0xff; 16])] {
        let at = |bus: u8| VulkanSeen {
            uuid: Answer::Known(same),
            pci: pci(bus),
            ..vulkan(bus, bus.into())
        };
        let inventory = found(&Seen { vulkan: vec![at(1), at(2)], ..Seen::default() });
        assert_eq!(inventory.devices.len(), 2, "{same}");
    }
    // Neither address nor UUID: the name says nothing.
    let nameless = |index| VulkanSeen {
        uuid: Answer::NotSupported,
        pci: Answer::NotSupported,
        ..vulkan(1, index)
    };
    let two = Seen { vulkan: vec![nameless(0), nameless(1)], ..Seen::default() };
    assert_eq!(found(&two).devices.len(), 2);
}

#[test]
fn memory_that_is_not_known_is_neither_none_nor_without_end() {
    let answers = [
        Answer::NotSupported,
        Answer::Failed("NVML error 999".into()),
        Answer::Known((0, 0)),
        Answer::Known((u64::MAX, 0)),
    ];
    for answer in answers {
        let card = NvmlSeen { memory: answer.clone(), ..nvml(1) };
        let alone = CudaSeen { memory: Answer::NotSupported, ..cuda(1, 0) };
        let seen = Seen {
            cuda: Some(vec![alone.clone()]),
            nvml: vec![card.clone()],
            system_memory: Some(8 * GIB),
            ..Seen::default()
        };
        let inventory = found(&seen);
        let device = &inventory.devices[0];
        assert_eq!((device.memory, device.used), (None, None), "{answer:?}");
        assert!(device.is_usable(), "by count, or with a size that the line file gives");
        // CUDA may know; and a GPU without memory of its own has what the machine has.
        let cuda_knows = Seen { cuda: Some(vec![cuda(1, 0)]), ..seen.clone() };
        assert_eq!(found(&cuda_knows).devices[0].memory, Some(16 * GIB));
        let shares = CudaSeen { integrated: true, ..alone };
        let shared = Seen { cuda: Some(vec![shares]), ..seen };
        assert_eq!(found(&shared).devices[0].memory, Some(8 * GIB));
    }
    let full = NvmlSeen { memory: Answer::Known((GIB, 2 * GIB)), ..nvml(1) };
    let seen = Seen { cuda: Some(vec![cuda(1, 0)]), nvml: vec![full], ..Seen::default() };
    assert_eq!(found(&seen).devices[0].free(), Some(0));
}

fn slice(number: u8, profile: &str) -> SliceSeen {
    SliceSeen {
        uuid: format!("MIG-{}", uuid(100 + number)),
        profile: Some(profile.into()),
        memory: Answer::Known((5 * GIB, 0)),
    }
}

#[test]
fn with_mig_on_the_slices_are_units_and_the_card_is_not() {
    let card = NvmlSeen {
        mig: Answer::Known(true),
        slices: vec![slice(0, "1g.5gb"), slice(1, "1g.5gb")],
        ..nvml(1)
    };
    // CUDA shows one slice to a process, in the place of the card.
    let shown = CudaSeen { uuid: Answer::Known(uuid(101)), ..cuda(1, 0) };
    let seen = Seen {
        cuda: Some(vec![shown]),
        nvml: vec![card.clone()],
        vulkan: vec![vulkan(1, 0)],
        ..Seen::default()
    };
    let inventory = found(&seen);
    assert_eq!(inventory.devices.len(), 3);
    assert!(inventory.devices[0].unusable.as_ref().unwrap().contains("MIG is on"));
    let ordinals: Vec<_> =
        usable(&inventory).iter().map(|slice| slice.cuda.unwrap().ordinal).collect();
    assert_eq!(ordinals, [None, Some(0)], "the other one is for processes");
    assert!(usable(&inventory).iter().all(|slice| slice.parent == Some(0)));
    assert!(usable(&inventory).iter().all(|slice| slice.memory == Some(5 * GIB)));

    let empty = NvmlSeen { slices: Vec::new(), ..card };
    let seen = Seen { nvml: vec![empty], vulkan: vec![vulkan(1, 0)], ..Seen::default() };
    assert!(usable(&found(&seen)).is_empty(), "nothing has been made of it yet");
}

#[test]
fn what_the_environment_hides_is_not_used_through_another_library() {
    let seen = Seen {
        cuda: Some(vec![cuda(2, 0)]),
        nvml: vec![nvml(1), nvml(2)],
        vulkan: vec![vulkan(1, 0), vulkan(2, 1)],
        visible: Some(format!("GPU-{}", uuid(2))),
        ..Seen::default()
    };
    let inventory = found(&seen);
    let [device] = usable(&inventory)[..] else { panic!("{inventory:?}") };
    assert_eq!(device.pci.unwrap().bus, 2);
    let hidden = inventory.devices[0].unusable.as_ref().unwrap();
    assert!(hidden.contains("CUDA_VISIBLE_DEVICES"), "{hidden}");
    // Another maker's card is none of its business.
    let other = VulkanSeen { vendor: 0x1002, ..vulkan(3, 2) };
    let seen = Seen { vulkan: vec![other], cuda: Some(vec![]), ..seen };
    assert_eq!(usable(&found(&seen)).len(), 1);
}

#[test]
fn a_software_rasteriser_is_used_only_if_that_is_wished() {
    let software = VulkanSeen { kind: Kind::Software, vendor: 0x10005, ..vulkan(1, 0) };
    let seen = Seen { vulkan: vec![software.clone(), software], ..Seen::default() };
    let inventory = found(&seen);
    assert!(inventory.devices[0].unusable.as_ref().unwrap().contains("--allow-software"));
    let inventory = merge(&seen, Wishes { allow_software: true });
    assert_eq!(usable(&inventory).len(), 1, "listed twice, here once");
}

#[test]
fn a_card_that_only_an_old_vulkan_reaches_says_what_it_lacks() {
    let old =
        VulkanSeen { lacks: Some("its driver has Vulkan 1.0, not 1.2".into()), ..vulkan(1, 0) };
    let seen = Seen { vulkan: vec![old.clone()], ..Seen::default() };
    assert!(found(&seen).devices[0].unusable.as_ref().unwrap().contains("1.2"));
    let seen = Seen { vulkan: vec![old], cuda: Some(vec![cuda(1, 0)]), ..Seen::default() };
    let inventory = found(&seen);
    assert!(inventory.devices[0].is_usable() && inventory.devices[0].vulkan.is_none());
}

#[test]
fn answers_that_make_no_sense_do_no_harm() {
    let nothing = Seen {
        cuda: Some(vec![CudaSeen::default(), CudaSeen::default(), cuda(1, 0), cuda(1, 1)]),
        nvml: vec![NvmlSeen::default(), nvml(1), nvml(1)],
        vulkan: vec![VulkanSeen::default(), VulkanSeen::default()],
        ..Seen::default()
    };
    let inventory = found(&nothing);
    let of_card_one = |device: &&Device| device.pci.is_some();
    assert_eq!(inventory.devices.iter().filter(of_card_one).count(), 1);
    assert!(inventory.devices.iter().all(|device| !device.card.is_empty()));
    assert!(inventory.notes.iter().any(|note| note.contains("twice")));
}
