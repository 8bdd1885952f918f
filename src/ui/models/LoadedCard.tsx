// The loaded model: its shape, its hash, and its device.
import type { ModelConfig } from '../../engine/types.ts';
import type { ModelReport } from '../../lab/protocol/reports.ts';
import { loadedModel } from '../../store/lab-state.ts';
import { useLab, useModelActions, useModels } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { FactRow } from '../parts/Fact.tsx';
import { ViewLink } from '../parts/links.tsx';

const STORAGE_WORDS = {
  f32: 'weights as 32-bit floats',
  f16: 'weights as 16-bit floats',
  q8t16: 'weights as 8-bit integers in groups of 32, embedding and head as 16-bit floats',
  q8g32: 'weights as 8-bit integers in groups of 32',
  q8: 'weights as 8-bit integers in groups of 64',
  q4g32: 'weights as 4-bit integers in groups of 32',
} as const;

export function LoadedCard() {
  const models = useModelActions();
  const model = useLab(loadedModel);
  const device = useLab((state) => state.device);
  const busy = useLab((state) => state.busy);
  const working = useModels((state) => state.work?.doing === 'use');
  if (!model) return <p role="status">Opening the lab …</p>;
  return (
    <>
      <dl className="facts-table" data-testid="loaded-model">
        <FactRow name="Loaded">
          <b>{model.id}</b>
          {model.isOwn ? <span className="tag model-tag">the lab’s own</span> : null}
        </FactRow>
        <FactRow name="Shape" className="num">
          {shapeWords(model.config)}
        </FactRow>
        <FactRow name="Parameters" className="num">
          {model.parameters.toLocaleString('en-GB')} ({STORAGE_WORDS[model.storage]});{' '}
          {model.adapterParams.toLocaleString('en-GB')} adapter parameters in {model.modules} modules
        </FactRow>
        <FactRow name="Weights’ sha-256">
          <span className="mono">{model.sha256}</span>
          {model.storage === 'f32' ? '' : `, of the files with ${model.storage}: fewer bits make it another model`}
        </FactRow>
        {model.adapter ? (
          <FactRow name="Adapter">
            {model.adapter.folder}: {adapterWords(model.adapter)}
          </FactRow>
        ) : null}
        <FactRow name="Device">{device ? device.name : '–'}</FactRow>
        <FactRow name="Prompts">
          {model.hasChatTemplate ? 'by its chat template' : 'plain text: it has no chat template'}
          {model.defaults.undone.length > 0 ? `; not applied here: ${model.defaults.undone.join(', ')}` : ''}
        </FactRow>
      </dl>
      {model.notes.length > 0 ? (
        <ul className="warnings muted note">
          {model.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : null}
      <p className="model-actions">
        <ViewLink view="playground" className="btn">
          Talk to it
        </ViewLink>
        {model.adapter ? (
          <Button
            label="Take the adapter out"
            isLarge
            disabled={busy || working}
            onClick={() => void models.dropAdapter()}
          />
        ) : null}
        {model.isOwn ? null : (
          <Button
            label="Back to the lab’s own model"
            isLarge
            disabled={busy || working}
            onClick={() => void models.loadOwn()}
          />
        )}
      </p>
      {model.isOwn ? null : (
        <p className="muted note model-after">
          The playground needs nothing more. The first run, probe or basis factors all of the model’s Linears. That
          takes a while; the factors are then kept.
        </p>
      )}
    </>
  );
}

/** Such as `rank 16, scale 2, 196 Linears, folded into the weights`. */
function adapterWords({ r, scale, modules, base }: NonNullable<ModelReport['adapter']>): string {
  const by = typeof scale === 'number' ? String(scale) : `${scale[0]} to ${scale[1]}`;
  return `rank ${r}, scale ${by}, ${modules} Linears${base === null ? '' : `, trained on ${base}`}; folded into the weights`;
}

/** Such as `qwen3: 28 layers, width 1,024, 16 heads on 8 of keys, head 128, ffn 3,072, vocabulary 151,936, 40,960 positions`. */
export function shapeWords(config: ModelConfig): string {
  const { architecture, layers, hiddenSize, heads, kvHeads, headDim, ffn, vocab, maxPositions, tied } = config;
  const n = (x: number) => x.toLocaleString('en-GB');
  return [
    `${architecture}: ${layers} layers`,
    `width ${n(hiddenSize)}`,
    `${heads} heads of ${headDim} on ${kvHeads} of keys and values`,
    `ffn ${n(ffn)}`,
    `vocabulary ${n(vocab)}${tied ? ' (tied)' : ''}`,
    `${n(maxPositions)} positions`,
  ].join(', ');
}
