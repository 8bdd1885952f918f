// The sum of tree_barriers.wgsl, pair for pair and so bit for bit, with one barrier: every subgroup adds all terms by itself. Which
// invocations are a subgroup the language leaves open, so terms are dealt by the place in the subgroup: `at` takes at, at + SIZE, …,
// and what is left to pair goes through shuffles. Needs SIZE, what a subgroup is expected to be (a power of two, at most WIDTH).
struct Place {
  @builtin(local_invocation_id) lid: vec3u,
  @builtin(workgroup_id) wid: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(subgroup_size) size: u32,
  @builtin(subgroup_invocation_id) at: u32,
}

const EACH = WIDTH / SIZE;
var<workgroup> terms: array<Sum, WIDTH>;

// All of them by one invocation: in the order in which the tree's pairs meet, which is that of indices with their bits reversed.
fn alone() -> Sum {
  let bits = firstTrailingBit(WIDTH);
  var halves: array<Sum, 9>; // of each height of the tree, the sum that waits for its other half
  for (var n = 0u; n < WIDTH; n++) {
    var sum = terms[reverseBits(n) >> (32u - bits)];
    var height = 0u;
    for (var rest = n; (rest & 1u) == 1u; rest >>= 1u) {
      sum = halves[height] + sum;
      height++;
    }
    halves[height] = sum;
  }
  return halves[bits];
}

fn tree_sum(here: Place, term: Sum) -> Sum {
  terms[here.lid.x] = term;
  workgroupBarrier();
  var own: array<Sum, EACH>;
  for (var i = 0u; i < EACH; i++) { own[i] = terms[here.at + SIZE * i]; }
  for (var half = EACH / 2u; half > 0u; half /= 2u) {
    for (var i = 0u; i < half; i++) { own[i] += own[i + half]; }
  }
  var sum = own[0];
  for (var half = SIZE / 2u; half > 0u; half /= 2u) { sum += subgroupShuffleXor(sum, half); }
  // A subgroup of another size, or one that is not full: what it was given by shuffles means nothing.
  if (subgroupAdd(1u) != SIZE || here.size != SIZE) { sum = alone(); }
  return sum;
}
