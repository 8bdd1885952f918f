// Returns the input of the convolution: m of a channel; rows before a run's first are read from `past`.
fn tap(run: Run, channel: u32, t: i32) -> f32 {
  if (t >= 0) { return m[(run.start + u32(t)) * params.width + channel]; }
  if (run.before == NONE) { return 0.0; }
  let back = params.taps - 1u;
  return past[(run.before * back + u32(t + i32(back))) * params.width + channel];
}

// Returns the convolution's sum, before silu.
fn tapped(run: Run, channel: u32, t: i32) -> f32 {
  var sum = 0.0;
  for (var j = 0u; j < params.taps; j++) {
    sum += w[channel * params.taps + j] * tap(run, channel, t + i32(j) - i32(params.taps - 1u));
  }
  return sum;
}
