//! with exp_log runs conv_tap
// dW_j += Σ_t dOut_t · silu'(t's sum) · m_{t − taps + 1 + j}, over all runs of the call; one invocation per tap of a channel.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // column · taps + j
  if (item >= params.cols * params.taps) { return; }
  let column = item / params.taps;
  let j = i32(item - column * params.taps);
  let channel = params.first + column;
  var grad = 0.0;
  for (var index = 0u; index < params.count; index++) {
    let run = run_at(index);
    for (var row = run.start; row < run.end; row++) {
      let t = i32(row - run.start);
      let sum = tapped(run, channel, t);
      let sigma = rounded(1.0 / (1.0 + exp1(-sum)));
      let slope = sigma * (1.0 + sum * (1.0 - sigma));
      grad += dOut[row * params.cols + column] * slope * tap(run, channel, t + j - i32(params.taps) + 1);
    }
  }
  dW[channel * params.taps + u32(j)] += grad;
}
