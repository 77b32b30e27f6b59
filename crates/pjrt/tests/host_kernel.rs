//! A kernel of this process, called by a program in parts.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};

use pjrt::HostCall;
use support::*;

static PARTS: AtomicUsize = AtomicUsize::new(0);

/// Twice the operand, in as many parts as the call's text says; refuses the text `fail`, and panics in a part for `panic`.
fn double(call: &HostCall<'_>) -> Result<(), String> {
    let text = call.text("call").ok_or("no text")?;
    assert_eq!(call.text("absent"), None);
    if text == "panic" {
        call.in_parts(4, 3, &|part| assert!(part != 2, "part 2 panics"));
    }
    let parts: usize = text.parse().map_err(|_| format!("refused {text}"))?;
    let (operand, result) = (call.operands().next().unwrap(), call.results().next().unwrap());
    assert_eq!((operand.dims, operand.primitive_type), (result.dims, 11));
    let (from, to) = (operand.data as usize, result.data as usize);
    let count = operand.dims.iter().product::<i64>() as usize;
    call.in_parts(parts, 3, &|part| {
        PARTS.fetch_add(1, Ordering::Relaxed);
        for index in count * part / parts..count * (part + 1) / parts {
            // SAFETY: within both arrays; parts write apart.
            unsafe { *(to as *mut f32).add(index) = 2.0 * *(from as *const f32).add(index) };
        }
    });
    Ok(())
}

fn program(text: &str) -> String {
    format!(
        "module {{ func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {{
           %0 = stablehlo.custom_call @test.double(%a) {{api_version = 4 : i32, backend_config = {{call = \"{text}\"}}}}
             : (tensor<1000xf32>) -> tensor<1000xf32>
           return %0 : tensor<1000xf32> }} }}"
    )
}

#[test]
fn a_program_calls_a_kernel_in_parts() {
    plugin().register_host_kernel("test.double", double).unwrap();
    let values: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let doubled: Vec<f32> = values.iter().map(|x| 2.0 * x).collect();
    let a = send(&values);
    for parts in [1, 2, 7, 64] {
        PARTS.store(0, Ordering::Relaxed);
        let executable = compile(&program(&parts.to_string()));
        assert_eq!(read(&run(&executable, &[&a])[0]), doubled);
        assert_eq!(PARTS.load(Ordering::Relaxed), parts);
    }
    // Its error is the execution's, at once or from the result.
    for (text, message) in [("fail", "refused fail"), ("panic", "panicked")] {
        let executable = compile(&program(text));
        let mut outputs = pjrt::Outputs::new();
        let started = executable.execute(&[&a], pjrt::ExecuteOptions::default(), &mut outputs);
        let failure = started.err().or_else(|| outputs[0].ready_event().unwrap().wait().err()).unwrap();
        assert!(failure.to_string().contains(message), "{failure}");
    }
    fn other(_: &HostCall<'_>) -> Result<(), String> {
        Err("never called".to_owned())
    }
    assert!(plugin().register_host_kernel("test.other", other).is_err());
}
