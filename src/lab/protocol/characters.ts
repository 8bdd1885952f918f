// What the page asks of a run that has taught a character: everybody, before and after. A part of the table in protocol.ts.
import type { AskedOne } from '../../experiments/characters/each.ts';

export interface CharacterMap {
  runId: string;
  /** Of the kept adapter parameters: optimizer steps done. */
  step: number;
  /** The same characters in the same order. */
  before: AskedOne[];
  after: AskedOne[];
}

export interface CharacterRequests {
  /** Asks the run's kept model, and the untrained one; refused while an experiment trains, and ended when one starts. */
  characterMap: { params: { task: string; runId: string }; result: CharacterMap };
  stopCharacterMap: { params: { task: string }; result: { stopped: boolean } };
}
