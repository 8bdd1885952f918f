// What the worker does with requests about characters that were taught: a part of the table in handlers.ts. Few visits ask for it, so what
// it asks with arrives then.

import type { AdapterSettings } from '../../engine/types.ts';
import type { Equipped } from '../equipment/equipment.ts';
import type { HandlersOf } from '../protocol/protocol.ts';
import type { CharacterRequests } from '../protocol/run-requests.ts';
import type { ModelGate } from '../work/model-gate.ts';
import type { LabParts } from '../work/parts.ts';

interface CharacterHandlerPorts {
  lab(): Promise<LabParts>;
  equipped(adapter?: AdapterSettings, signal?: AbortSignal): Promise<Equipped>;
  gate: ModelGate;
}

export function createCharacterHandlers({ lab, equipped, gate }: CharacterHandlerPorts): HandlersOf<CharacterRequests> {
  return {
    async characterMap({ task, runId }) {
      const { mapOf } = await import('../work/character-map.ts');
      const { records } = await lab();
      return gate.task(task, (signal) => mapOf(runId, records, (adapter) => equipped(adapter, signal), signal));
    },
    stopCharacterMap: async ({ task }) => ({ stopped: gate.stop(task) }),
  };
}
