//! with threefry exp_log
// Samples one token for each row: greedily (temperature 0) or by inverse transform of a counter-based random number. src/kernels/contract/head.ts
// has the rules.

// Returns the random number of a row; n is the token's index in its turn.
fn uniform01(slot: u32, n: u32) -> f32 {
  let bits = threefry2x32(vec2u(keys[slot * 2u], keys[slot * 2u + 1u]), vec2u(n, 0u)).x;
  return f32(bits >> 8u) * 0x1p-24;
}

fn emit(row: u32, slot: u32, n: u32, token: u32, logp: f32) {
  tokens[slot * params.maxNew + n] = token;
  logps[slot * params.maxNew + n] = logp;
  next[row] = token;
  var isEnd = token == params.endA || token == params.endB;
  for (var i = 0u; i < params.ends; i++) { isEnd = isEnd || token == keys[params.endsAt + i]; }
  if (isEnd) { done[slot] = 1u; }
}

fn emit_pad(row: u32, slot: u32, n: u32) {
  tokens[slot * params.maxNew + n] = params.padToken;
  logps[slot * params.maxNew + n] = 0.0;
  next[row] = params.padToken;
}

fn weight(i: u32, top: f32) -> f32 {
  return exp1(rounded(logits[i] - top) / params.temperature);
}

// One invocation per row, for small vocabularies.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = flat(id, groups);
  if (row >= params.rows) { return; }
  let slot = slots[row];
  let n = starts[row] + params.t;
  if (done[slot] != 0u) {
    emit_pad(row, slot, n);
    return;
  }
  let base = row * params.vocab;
  var top = LOWEST;
  var token = 0u;
  for (var t = 0u; t < params.vocab; t++) {
    let l = logits[base + t];
    if (l > top) {
      top = l;
      token = t;
    }
  }
  var z = 0.0; // at temperature 1, for the log-probability
  for (var t = 0u; t < params.vocab; t++) { z += exp1(logits[base + t] - top); }
  if (params.temperature > 0.0) {
    var total = 0.0;
    for (var t = 0u; t < params.vocab; t++) { total += weight(base + t, top); }
    let threshold = uniform01(slot, n) * total;
    var running = 0.0;
    for (var t = 0u; t < params.vocab; t++) {
      let e = weight(base + t, top);
      running += e;
      if (e > 0.0) { token = t; }
      if (running > threshold) { break; }
    }
  }
  emit(row, slot, n, token, (logits[base + token] - top) - log1(z));
}

// One workgroup per row. Invocation i owns the i-th contiguous piece of the vocabulary, so that the running sum over the pieces (which one invocation
// takes in ascending order) is the running sum over the tokens.
var<workgroup> tops: array<f32, 256>;
var<workgroup> ids: array<u32, 256>;
var<workgroup> plain: array<f32, 256>; // Σ exp(l − max)
var<workgroup> tempered: array<f32, 256>; // Σ exp((l − max)/temperature), then its running sum before the piece
var<workgroup> threshold: f32;
var<workgroup> normaliser: f32;
var<workgroup> piece: u32;
@compute @workgroup_size(256)
fn wide(@builtin(local_invocation_id) lid: vec3u, @builtin(workgroup_id) wid: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let group = nth_group(wid, groups);
  let row = min(group, params.rows - 1u); // the grid may be folded past the last row
  let slot = slots[row];
  let n = starts[row] + params.t;
  let base = row * params.vocab;
  let share = (params.vocab + 255u) / 256u;
  let first = min(lid.x * share, params.vocab);
  let end = min(first + share, params.vocab);

  var best = LOWEST;
  var bestId = first;
  for (var t = first; t < end; t++) {
    let l = logits[base + t];
    if (l > best) {
      best = l;
      bestId = t;
    }
  }
  tops[lid.x] = best;
  ids[lid.x] = bestId;
  for (var half = 128u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lid.x < half) {
      let other = lid.x + half;
      if (tops[other] > tops[lid.x] || (tops[other] == tops[lid.x] && ids[other] < ids[lid.x])) {
        tops[lid.x] = tops[other];
        ids[lid.x] = ids[other];
      }
    }
  }
  workgroupBarrier();
  let top = tops[0];
  let sampled = params.temperature > 0.0;
  var z = 0.0;
  var total = 0.0;
  for (var t = first; t < end; t++) {
    z += exp1(logits[base + t] - top);
    if (sampled) { total += weight(base + t, top); }
  }
  plain[lid.x] = z;
  tempered[lid.x] = total;
  workgroupBarrier();
  if (lid.x == 0u) {
    var zs = 0.0;
    var all = 0.0;
    for (var i = 0u; i < 256u; i++) {
      zs += plain[i];
      all += tempered[i];
    }
    normaliser = zs;
    threshold = uniform01(slot, n) * all;
    // The token is in the piece in which the running sum passes the threshold, else in the last piece that has any weight.
    var running = 0.0;
    var found = 0u;
    for (var i = 0u; i < 256u; i++) {
      let sum = tempered[i];
      tempered[i] = running;
      if (sum > 0.0) { found = i; }
      running += sum;
      if (running > threshold) { break; }
    }
    piece = found;
  }
  workgroupBarrier();
  if (lid.x != piece || group != row) { return; }
  if (done[slot] != 0u) {
    emit_pad(row, slot, n);
    return;
  }
  var token = ids[0];
  if (sampled) {
    var running = tempered[lid.x];
    for (var t = first; t < end; t++) {
      let e = weight(base + t, top);
      running += e;
      if (e > 0.0) { token = t; }
      if (running > threshold) { break; }
    }
  }
  emit(row, slot, n, token, (logits[base + token] - top) - log1(normaliser));
}
