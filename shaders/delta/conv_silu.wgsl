//! with exp_log runs conv_tap
// Computes a causal convolution of a channel, then silu; one invocation per channel of a run.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // run · cols + column
  if (item >= params.count * params.cols) { return; }
  let index = item / params.cols;
  let column = item - index * params.cols;
  let channel = params.first + column;
  let run = run_at(index);
  let rows = run.end - run.start;
  for (var t = 0u; t < rows; t++) {
    let sum = tapped(run, channel, i32(t));
    out[(run.start + t) * params.cols + column] = sum * rounded(1.0 / (1.0 + exp1(-sum)));
  }
  // If before = after this works in place, since a row is read before it is written.
  let back = params.taps - 1u;
  for (var b = 0u; b < back; b++) {
    let value = tap(run, channel, i32(rows + b) - i32(back));
    past[(run.after * back + b) * params.width + channel] = value;
  }
}
