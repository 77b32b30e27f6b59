//! Compiles the C++ glue against the installed torch. Objects are kept in `build/glue` by the hash of what they depend
//! on, so that an edit costs one file, in whatever target directory. Torch's headers are precompiled.

use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// What the Python that will import the module says of its torch, one item a line.
const ASK_TORCH: &str = "
import os, sysconfig, torch
from torch.utils import cpp_extension
print(torch.__version__)
print(int(torch._C._GLIBCXX_USE_CXX11_ABI))
print(os.path.join(os.path.dirname(torch.__file__), 'lib'))
print(sysconfig.get_paths()['include'])
print(os.pathsep.join(cpp_extension.include_paths()))
";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=csrc");
    println!("cargo::rerun-if-env-changed=PYO3_PYTHON");
    let python = python();
    println!("cargo::rerun-if-changed={}", python.display());
    let answer = Command::new(&python).env("TORCH_DEVICE_BACKEND_AUTOLOAD", "0").arg("-c").arg(ASK_TORCH).output()?;
    if !answer.status.success() {
        return Err(format!("{} cannot import torch:\n{}", python.display(), String::from_utf8_lossy(&answer.stderr)).into());
    }
    let answer = String::from_utf8(answer.stdout)?;
    let [version, abi, libraries, python_include, torch_includes] = answer.lines().collect::<Vec<_>>()[..] else {
        return Err(format!("unexpected answer of {}: {answer}", python.display()).into());
    };

    let mut build = cc::Build::new();
    build.cpp(true).std("c++20").opt_level(2).debug(false).warnings(true).extra_warnings(true);
    build.flag("-fvisibility=hidden").flag_if_supported("-Wno-unused-parameter");
    build.define("_GLIBCXX_USE_CXX11_ABI", abi);
    for include in std::env::split_paths(torch_includes).chain([PathBuf::from(python_include)]) {
        build.flag("-isystem").flag(include.as_os_str());
    }
    let compiler = build.get_compiler();
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/glue");
    fs::create_dir_all(&kept)?;
    let mut headers: Vec<PathBuf> = files("csrc", "h")?;
    headers.sort();
    let mut common = DefaultHasher::new();
    (version, format!("{:?}", compiler.args())).hash(&mut common);
    let prelude = precompile(&compiler, &kept, common.clone())?;
    for header in &headers {
        fs::read(header)?.hash(&mut common);
    }
    let mut waiting = Vec::new();
    let mut objects = Vec::new();
    for source in files("csrc", "cpp")? {
        let object = kept_path(&source, &kept, common.clone(), "o")?;
        if !object.exists() {
            waiting.push((source, object.clone()));
        }
        objects.push(object);
    }
    let waiting = Mutex::new(waiting);
    let failed = Mutex::new(Vec::new());
    let workers = std::env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(2usize);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((source, object)) = waiting.lock().ok().and_then(|mut waiting| waiting.pop()) {
                    let mut command = compiler.to_command();
                    command.arg("-I").arg(&prelude).arg("-include").arg("prelude.h").arg("-c").arg(&source);
                    if let Err(why) = run(command, &object)
                        && let Ok(mut failed) = failed.lock()
                    {
                        failed.push(format!("{}: {why}", source.display()));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().map_err(|_| "poisoned")?;
    if !failed.is_empty() {
        return Err(failed.join("\n").into());
    }
    let mut archive = cc::Build::new();
    archive.cargo_metadata(false);
    for object in &objects {
        archive.object(object);
    }
    archive.compile("torch_glue");
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static:+whole-archive=torch_glue");
    println!("cargo::rustc-link-search=native={libraries}");
    for library in ["torch_python", "torch", "torch_cpu", "c10"] {
        println!("cargo::rustc-link-lib=dylib={library}");
    }
    println!("cargo::rustc-link-lib=dylib=stdc++");
    Ok(())
}

/// The Python that maturin builds for, else the one of `.venv`, else the one on the path.
fn python() -> PathBuf {
    if let Some(python) = std::env::var_os("PYO3_PYTHON") {
        return python.into();
    }
    let local = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    if local.exists() { local } else { "python3".into() }
}

fn files(directory: &str, extension: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    Ok(found)
}

/// Where the product of `source` is kept, named by the hash of the source and of what all sources depend on.
fn kept_path(source: &Path, kept: &Path, mut fingerprint: DefaultHasher, extension: &str) -> Result<PathBuf, Box<dyn Error>> {
    fs::read(source)?.hash(&mut fingerprint);
    let stem = source.file_stem().ok_or("a source without a name")?.to_string_lossy();
    Ok(kept.join(format!("{stem}-{:016x}.{extension}", fingerprint.finish())))
}

/// Precompiles `prelude.h`; returns the directory in which the compiler finds it.
fn precompile(compiler: &cc::Tool, kept: &Path, fingerprint: DefaultHasher) -> Result<PathBuf, Box<dyn Error>> {
    let header = Path::new("csrc/prelude.h");
    let directory = kept_path(header, kept, fingerprint, "pch")?;
    fs::create_dir_all(&directory)?;
    fs::copy(header, directory.join("prelude.h"))?;
    let precompiled = directory.join("prelude.h.gch");
    if !precompiled.exists() && compiler.is_like_gnu() {
        let mut command = compiler.to_command();
        command.args(["-x", "c++-header"]).arg(header);
        run(command, &precompiled)?;
    }
    Ok(directory)
}

/// Runs the compiler; the product appears whole or not at all.
fn run(mut command: Command, product: &Path) -> Result<(), String> {
    let unfinished = product.with_extension(format!("unfinished{}", std::process::id()));
    let output = command.arg("-o").arg(&unfinished).output().map_err(|why| why.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    fs::rename(&unfinished, product).map_err(|why| why.to_string())
}
