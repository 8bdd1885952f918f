// Eight rows of a step, of which each invocation reads all by itself: OWN and GIVEN, its own and those that it multiplies, are the same.
struct Here {
  @builtin(local_invocation_id) lid: vec3u,
}

fn own_row(here: Here, own: u32) -> u32 { return own; }
