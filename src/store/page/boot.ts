// The start of the page: the form from the address, the worker with its device, the lists of stored entries, and the run that the address
// may request.
import type { DeviceChoice } from '../../lab/protocol/protocol.ts';
import type { ReadyReport } from '../../lab/protocol/reports.ts';
import type { FormAddress } from '../../share/spec-link.ts';
import type { StoreContext } from '../context.ts';
import type { FormActions } from '../form/actions.ts';
import { problemOf } from '../lab-state.ts';

interface BootParts {
  form: FormActions;
  fillFromAddress(hash: string): Promise<void>;
  /** Records that the form equals this address. */
  noteFilled(address: FormAddress): void;
  /** Reads all lists of stored entries. */
  lists(): Promise<unknown>;
  /** Loads the model of the form's environment. */
  ownModel(): Promise<void>;
  start(): Promise<void>;
}

export function createBoot(
  { store, init, notices }: StoreContext,
  { form, fillFromAddress, noteFilled, lists, ownModel, start }: BootParts,
) {
  /** If this machine lacks the device in the address, the lab opens on another one instead of failing. */
  async function openLab(device: DeviceChoice): Promise<ReadyReport> {
    try {
      return await init(device);
    } catch (error) {
      if (device === 'auto') throw error;
      const report = await init('auto');
      notices.fail(error);
      await form.chooseDevice('auto');
      return report;
    }
  }

  /** Fills the form from the address, opens the worker, reads the lists, and then starts the experiment if the address requests it. */
  return async function boot(hash: string, autostart: boolean, environment: string | null = null): Promise<void> {
    await fillFromAddress(hash);
    if (environment !== null) {
      form.setField('environment', environment);
      noteFilled({ hash: '', environment });
    }
    const wanted = store.getState().draft.device;
    try {
      const report = await openLab(wanted);
      store.setState({ device: report.device, storage: report.storage });
      // The lists are read first, because whether an experiment can be run depends on the stored files.
      await lists();
      store.setState({ connection: { status: 'ready', report } });
    } catch (error) {
      store.setState({ connection: { status: 'failed', problem: problemOf(error) }, startsWhenReady: false });
      return;
    }
    // A link to another environment also loads its model.
    await ownModel();
    const { addressProblem, draft: filled, startsWhenReady } = store.getState();
    const isAsked = autostart && addressProblem === null && filled.device === wanted;
    store.setState({ startsWhenReady: false });
    if (isAsked || startsWhenReady) await start();
  };
}
