// v_hack bases: the worker checks and stores a dropped file, which becomes the next experiment's basis. A deletion can be undone while the
// page is open.
import type { BasisReport } from '../../lab/protocol/bases.ts';
import type { StoreContext } from '../context.ts';
import type { FormActions } from '../form/actions.ts';
import { problemOf } from '../lab-state.ts';
import { attempt } from '../notices.ts';

export function createBasisActions({ store, client, notices, undoableDelete }: StoreContext, form: FormActions) {
  const keyOf = (id: string) => `basis:${id}`;

  async function refresh(): Promise<void> {
    const all = await attempt(notices, client.request('listBases'));
    const bases = all?.filter(({ id, createdAt }) => !undoableDelete.hides(keyOf(id), createdAt));
    if (bases) store.setState({ bases });
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
      undoableDelete.keep(keyOf(report.id));
      store.setState({ basisDrop: { status: 'kept', report } });
      choose(report.id);
      // The notice appears where the user is looking. The details are in the list of bases.
      notices.tell(
        'good',
        `${report.name} is a basis (${report.modules} of ${report.modelModules} modules, up to ${report.k} axes). It is kept under Library, Bases and pairs, and the next run uses it.`,
      );
      await refresh();
    } catch (error) {
      const problem = problemOf(error);
      store.setState({ basisDrop: { status: 'refused', name: file.name, problem } });
      notices.tell('bad', `${file.name} was not accepted as a basis. ${problem.message}`, { remedy: problem.remedy });
    }
  }

  function removeBasis({ id, name }: BasisReport): void {
    const { basisDrop, draft, bases } = store.getState();
    const inUse = draft.fields.basisFile === id;
    if (inUse) chooseNone();
    store.setState({
      bases: bases.filter((basis) => basis.id !== id),
      basisDrop: basisDrop?.status === 'kept' && basisDrop.report.id === id ? null : basisDrop,
    });
    undoableDelete.remove({
      key: keyOf(id),
      name,
      request: { kind: 'deleteBasis', params: { id } },
      gone: refresh,
      restore() {
        // Undo does not replace a basis that the user chose in the meantime.
        if (inUse && store.getState().draft.fields.basisFile === '') choose(id);
        void refresh();
      },
    });
  }

  const loadBasis = (id: string): Promise<Blob | null> => attempt(notices, client.request('loadBasis', { id }));

  return {
    refresh,
    actions: { dropBasis: drop, chooseBasis: choose, clearBasis: chooseNone, removeBasis, loadBasis, forgetDrop },
  };

  function forgetDrop(): void {
    store.setState({ basisDrop: null });
  }
}
