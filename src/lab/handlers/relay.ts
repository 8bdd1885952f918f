// The worker's answers to a page that works for a relay: a part of the table in handlers.ts, which arrives with the first of them.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { fusedProblem } from '../../kernels/cpu/simd.ts';
import type { Numerics } from '../../kernels/device.ts';
import type { HandlersOf, WorkerEvent } from '../protocol/protocol.ts';
import type { RelayRequests } from '../protocol/relay.ts';
import type { HandlerParts } from '../work/parts.ts';
import { RelayWork, type Socket } from '../work/relay-work.ts';

export function createRelayHandlers({ lab, gate, emit }: HandlerParts): HandlersOf<RelayRequests> {
  let work: RelayWork | null = null;
  return {
    async workFor({ appVersion, isWatching, ...link }) {
      if (work && !work.hasEnded && !work.isWatching)
        throw new SpecError('This page already works for a relay.', 'Stop that first.');
      work?.stop();
      const { session, records, watchers } = await lab();
      const gpu = (globalThis.navigator as Partial<Navigator> | undefined)?.gpu;
      const devices: Numerics[] = ['cpu'];
      if ((await fusedProblem()) === null) devices.push('cpu-fused');
      if (await gpu?.requestAdapter().catch(() => null)) devices.push('webgpu');
      const own = new RelayWork(link, {
        session: {
          start: (id, spec) => gate.first(() => session.start(id, spec)),
          resume: (id) => session.resume(id),
          stop: (id) => session.stop(id),
          delete: (id) => session.delete(id),
        },
        records,
        devices,
        appVersion,
        isWatching,
        // A WebSocket's handlers are given an event each, of which a Socket's take less.
        connect: (url, protocols) => new WebSocket(url, protocols) as unknown as Socket,
        wait(ms, then) {
          const timer = setTimeout(then, ms);
          return () => clearTimeout(timer);
        },
        tell(state) {
          emit({ type: 'relay', state });
          if (state.phase === 'ended') watchers?.delete(see);
        },
      });
      const see = (event: WorkerEvent) => own.see(event);
      watchers?.add(see);
      work = own;
      return null;
    },
    async stopWork() {
      const stopped = work !== null && !work.hasEnded;
      work?.stop();
      return { stopped };
    },
  };
}
