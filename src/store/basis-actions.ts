// v_hack bases: a dropped file is checked and kept by the worker, and set as the next experiment's basis.
import type { BasisReport } from '../lab/protocol.ts';
import type { FormActions } from './form-actions.ts';
import { problemOf } from './lab-state.ts';
import type { StoreContext } from './lab-store.ts';

export function createBasisActions({ store, client, notices }: StoreContext, form: FormActions) {
  async function refresh(): Promise<void> {
    try {
      store.setState({ bases: await client.request('listBases', null) });
    } catch (error) {
      notices.fail(error);
    }
  }

  function choose(id: string): void {
    form.setField('basisFile', id);
    form.setField('basisSource', 'file');
  }

  function chooseNone(): void {
    form.setField('basisFile', '');
    form.setField('basisSource', 'pairs');
  }

  async function drop(file: File): Promise<void> {
    store.setState({ basisDrop: { status: 'checking', name: file.name } });
    try {
      const report = await client.request('saveBasis', { file, name: file.name });
      store.setState({ basisDrop: { status: 'kept', report } });
      choose(report.id);
      await refresh();
    } catch (error) {
      store.setState({ basisDrop: { status: 'refused', name: file.name, problem: problemOf(error) } });
    }
  }

  async function removeBasis(report: BasisReport): Promise<void> {
    try {
      await client.request('deleteBasis', { id: report.id });
      const { basisDrop, draft } = store.getState();
      if (draft.fields.basisFile === report.id) chooseNone();
      if (basisDrop?.status === 'kept' && basisDrop.report.id === report.id) store.setState({ basisDrop: null });
    } catch (error) {
      notices.fail(error);
    }
    await refresh();
  }

  async function loadBasis(id: string): Promise<Blob | null> {
    try {
      return await client.request('loadBasis', { id });
    } catch (error) {
      notices.fail(error);
      return null;
    }
  }

  return {
    refresh,
    actions: { dropBasis: drop, chooseBasis: choose, clearBasis: chooseNone, removeBasis, loadBasis, forgetDrop },
  };

  function forgetDrop(): void {
    store.setState({ basisDrop: null });
  }
}
