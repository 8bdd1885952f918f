// Stores a probe's steps in memory, for tests; it keeps copies, like a file.
import { type ProbeStore, type ReplayState, rowsFromJsonl, rowsToJsonl } from '../store.ts';

export function memoryProbeStore(): ProbeStore {
  const states = new Map<string, ReplayState>();
  const rows = new Map<string, string>();
  return {
    loadState: async (replay) => structuredClone(states.get(replay) ?? null),
    async saveState(replay, state) {
      states.set(replay, structuredClone(state));
    },
    async loadRows(replay, step) {
      const lines = rows.get(`${replay}/${step}`);
      return lines === undefined ? null : rowsFromJsonl(lines);
    },
    async saveRows(replay, step, saved) {
      rows.set(`${replay}/${step}`, rowsToJsonl(saved));
    },
  };
}
