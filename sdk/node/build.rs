//! Links the library as Node.js loads it.

fn main() {
    // The types of TypeScript are written there when macros are expanded.
    println!("cargo:rerun-if-env-changed=NAPI_TYPE_DEF_TMP_FOLDER");
    println!("cargo:rerun-if-env-changed=NAPI_FORCE_BUILD");
    napi_build::setup();
}
