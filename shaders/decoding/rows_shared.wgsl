// Eight rows of a step, of which each of a subgroup's four invocations reads two and is given the others: on a software adapter an element that
// four invocations read costs as much as four elements.
struct Here {
  @builtin(local_invocation_id) lid: vec3u,
  @builtin(subgroup_invocation_id) at: u32,
}

fn own_row(here: Here, own: u32) -> u32 { return own * 4u + here.at; }
