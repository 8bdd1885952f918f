// Complete and partial models in the browser's file system, which can be used, completed, or deleted (after a second click).
import { useState } from 'react';
import type { KeptModel } from '../../lab/protocol/models.ts';
import { bytesText, moment } from '../../lib/numbers.ts';
import { originText } from '../../storage/model-store.ts';
import { loadedModel } from '../../store/lab-state.ts';
import { useLab, useModelActions, useModels } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Empty } from '../parts/Section.tsx';

export function KeptModels() {
  const kept = useModels((state) => state.kept);
  if (kept === null) return <p role="status">Looking into the store …</p>;
  if (kept.length === 0)
    return (
      <Empty title="No model kept yet">
        <p>
          A dropped model is read from its folder until the page closes. Keep it, or download one, to have it at the
          next visit.
        </p>
      </Empty>
    );
  return (
    <ul className="kept" aria-label="Kept models">
      {kept.map((model) => (
        <KeptEntry key={model.id} model={model} />
      ))}
    </ul>
  );
}

function KeptEntry({ model }: { model: KeptModel }) {
  const models = useModelActions();
  const busy = useLab((state) => state.busy);
  const loaded = useLab((state) => loadedModel(state)?.id === model.id);
  const working = useModels((state) => state.work !== null);
  const [asking, setAsking] = useState(false);
  const { id, origin, files, complete, createdAt, missingBytes } = model;
  const all = files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <li className="kept-row">
      <div className="kept-main">
        <p className="kept-name">
          <b>{id}</b>
          {loaded ? <span className="tag good">loaded</span> : null}
          {complete ? null : <span className="tag warn">half kept</span>}
        </p>
        <p className="muted num">
          From {originText(origin)} · {bytesText(all)}
          {complete ? '' : `, ${bytesText(missingBytes)} missing`} · {moment(createdAt)}
        </p>
        {complete || origin.kind !== 'folder' ? null : <p className="muted">Drop its folder again to continue.</p>}
      </div>
      {asking ? (
        <div className="kept-tools">
          <span className="model-ask">Delete {bytesText(all - missingBytes)}?</span>
          <Button
            label="Delete"
            tone="danger"
            onClick={() => {
              setAsking(false);
              void models.remove(model);
            }}
          />
          <Button label="Keep it" onClick={() => setAsking(false)} />
        </div>
      ) : (
        <div className="kept-tools">
          {complete ? (
            <>
              <Button
                icon="play"
                label="Load"
                disabled={busy || working || loaded}
                onClick={() => void models.loadKept(model)}
                aria-label={`Load ${id}`}
              />
              <Button
                icon="open"
                label="Memory it needs"
                disabled={working}
                onClick={() => void models.chooseKept(model)}
                aria-label={`Memory it needs: ${id}`}
              />
            </>
          ) : origin.kind !== 'folder' ? (
            <Button
              icon="resume"
              label="Resume"
              disabled={working}
              onClick={() => void (origin.kind === 'hub' ? models.chooseKept(model) : models.keepSmall())}
              aria-label={`Resume ${id}`}
            />
          ) : null}
          <Button
            icon="trash"
            disabled={working || loaded}
            onClick={() => setAsking(true)}
            aria-label={`Delete ${id}`}
            title={loaded ? 'It is loaded' : 'Delete'}
          />
        </div>
      )}
    </li>
  );
}

/** Size of the stored singular vectors of all models, and a button that deletes them. */
export function KeptFactors() {
  const models = useModelActions();
  const busy = useLab((state) => state.busy);
  const working = useModels((state) => state.work !== null);
  const factors = useModels((state) => state.factors);
  if (!factors || factors.files === 0) return null;
  return (
    <p className="model-actions model-factors num">
      <span>
        Singular vectors of {factors.files} {factors.files === 1 ? 'Linear' : 'Linears'}: {bytesText(factors.bytes)}. If
        cleared, the next run that needs them computes them again.
      </span>
      <Button label="Clear" disabled={busy || working} onClick={() => void models.clearFactors()} />
    </p>
  );
}
