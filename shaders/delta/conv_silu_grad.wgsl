//! with exp_log runs conv_tap
// dm_t = Σ_s w_{taps − 1 + t − s} · dOut_s · silu'(s's sum) over the rows s that read row t; one invocation per channel of a run, from its last
// row to the first and on to those before it. Needs TAPS.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let item = flat(id, groups); // run · cols + column
  if (item >= params.count * params.cols) { return; }
  let index = item / params.cols;
  let column = item - index * params.cols;
  let channel = params.first + column;
  let run = run_at(index);
  let rows = i32(run.end - run.start);
  let back = i32(TAPS) - 1;
  var slopes: array<f32, TAPS>; // the slope of row s is at s mod TAPS
  for (var t = rows - 1; t >= -back; t--) {
    if (t >= 0) {
      let sum = tapped(run, channel, t);
      let sigma = rounded(1.0 / (1.0 + exp1(-sum)));
      let slope = sigma * (1.0 + sum * (1.0 - sigma));
      slopes[u32(t) % TAPS] = dOut[(run.start + u32(t)) * params.cols + column] * slope;
    }
    var grad = 0.0;
    for (var s = max(t, 0); s <= min(t + back, rows - 1); s++) {
      grad += w[channel * TAPS + u32(back + t - s)] * slopes[u32(s) % TAPS];
    }
    // The last rows are the past of the runs that continue this one.
    let b = t - rows + back;
    if (b >= 0) {
      for (var child = 1u; child <= run.children; child++) {
        grad += past[((run.after + child) * u32(back) + u32(b)) * params.width + channel];
      }
    }
    if (t >= 0) {
      dM[(run.start + u32(t)) * params.width + channel] = grad;
    } else {
      past[(run.after * u32(back) + u32(t + back)) * params.width + channel] = grad;
    }
  }
}
