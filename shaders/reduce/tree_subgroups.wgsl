// Computes the sum of tree_barriers.wgsl, pair for pair and so bit for bit, with one barrier: every subgroup adds all terms by itself. The language
// leaves open which invocations form a subgroup, so terms are assigned by the index in the subgroup: `at` takes at, at + SIZE, …, and the remaining
// pairs are added by shuffles. Needs SIZE, the expected size of a subgroup (a power of two, at most WIDTH).
struct Place {
  @builtin(local_invocation_id) lid: vec3u,
  @builtin(workgroup_id) wid: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(subgroup_size) size: u32,
  @builtin(subgroup_invocation_id) at: u32,
}

const EACH = WIDTH / SIZE;
var<workgroup> terms: array<Sum, WIDTH>;

// Adds all terms with one invocation, in the order in which the tree's pairs meet: that of indices with reversed bits.
fn alone() -> Sum {
  let bits = firstTrailingBit(WIDTH);
  var halves: array<Sum, 9>; // for each height of the tree, the sum that waits for its other half
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
  // In a subgroup of another size, or one that is not full, results of shuffles are meaningless.
  if (subgroupAdd(1u) != SIZE || here.size != SIZE) { sum = alone(); }
  return sum;
}
