//! Tells the linker where flash and RAM lie.

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where this is");
    println!("cargo::rerun-if-changed=memory.x");
    println!("cargo::rustc-link-search={here}");
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
}
