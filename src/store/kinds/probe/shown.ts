// The probe on show, its comparison with results that came with the address, and the address of a stored probe.
import type { StoreApi } from 'zustand/vanilla';
import { OWN_PAIRS } from '../../../experiments/config/environments.ts';
import type { ProbeAsk, ProbeRecord } from '../../../lab/protocol/probe.ts';
import { encodeProbe, probeDigest, type SharedProbe } from '../../../share/shared-probe.ts';
import type { StoreContext } from '../../context.ts';
import { readyReport } from '../../lab-state.ts';
import { askOf } from './form.ts';
import { withProbe } from './link.ts';
import type { ProbeState } from './state.ts';

/** Whether a request needs a pool, basis or pairs that only this browser has. */
const needsFiles = ({ teacher, settings }: ProbeAsk): boolean =>
  teacher.kind === 'pool' || Boolean(settings.basisFile) || Boolean(settings.pairSet?.startsWith(OWN_PAIRS));

export function createShown({ store: lab, client, notices }: StoreContext, store: StoreApi<ProbeState>) {
  /** Request that came with the shared results. */
  let sharedAsk = '';
  async function compare({ ask, report }: ProbeRecord): Promise<void> {
    const { shared } = store.getState();
    if (!shared || !report || !ask || JSON.stringify(ask) !== sharedAsk) return;
    store.setState({ sharedIsSame: (await probeDigest(report)) === shared.digest });
  }

  async function show(id: string): Promise<void> {
    try {
      const shown = await client.request('kept.load', { kind: 'probe', id });
      store.setState({ shown });
      await compare(shown.record);
    } catch (error) {
      notices.fail(error);
    }
  }

  return {
    show,

    hide: () => store.setState({ shown: null }),

    /** Hides a probe that was deleted. */
    forget({ id }: ProbeRecord): void {
      if (store.getState().shown?.record.id === id) store.setState({ shown: null });
    },

    /** Sets the results that came with the address. The form has their request. */
    setShared(shared: SharedProbe | null): void {
      sharedAsk = JSON.stringify(askOf(store.getState().form));
      store.setState({ shared, sharedIsSame: null });
    },

    /** The address of the form's probe, without results. */
    async linkOfForm(href: string): Promise<{ href: string; needs: boolean }> {
      const ask = askOf(store.getState().form);
      return { href: await withProbe(href, ask, ''), needs: needsFiles(ask) };
    },

    /** The address of a stored probe, with as much of its results as fits. If the probe is gone, null, and a notice is shown. */
    async linkOf(
      record: ProbeRecord,
      href: string,
    ): Promise<{ href: string; carries: 'all' | 'steps' | 'verdicts' | null; needs: boolean } | null> {
      try {
        const { ask } = record;
        const loaded = record.report ? await client.request('kept.load', { kind: 'probe', id: record.id }) : null;
        const appVersion = readyReport(lab.getState())?.appVersion ?? '';
        const report = loaded?.record.report;
        const results = report
          ? await encodeProbe(report, loaded.rows.vanilla, { device: record.device, appVersion })
          : null;
        const needs = ask !== null && needsFiles(ask);
        return { href: await withProbe(href, ask, results?.hash ?? ''), carries: results?.carries ?? null, needs };
      } catch (error) {
        notices.fail(error);
        return null;
      }
    },
  };
}
