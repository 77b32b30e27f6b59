//! Compiles the one C++ function that Rust cannot write: a call that catches C++ exceptions.

fn main() {
    println!("cargo::rerun-if-changed=src/guarded_call.cpp");
    cc::Build::new().cpp(true).std("c++17").file("src/guarded_call.cpp").compile("pjrt_guarded_call");
}
