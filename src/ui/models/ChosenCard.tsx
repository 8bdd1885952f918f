// The dropped or named model before it is loaded: its shape and size, the memory and disk space that it requires, and any requirement that
// is not met, with numbers.

import type { ModelInspection, ModelPlan } from '../../lab/protocol/models.ts';
import { bytesText } from '../../lib/numbers.ts';
import type { ChosenModel } from '../../store/models/state.ts';
import { useLab, useModelActions, useModels } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { ChoiceField } from '../parts/Choice.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { FactRow } from '../parts/Fact.tsx';
import { Problem } from '../parts/Problem.tsx';
import { ExaminationFold } from './Examination.tsx';
import { shapeWords } from './LoadedCard.tsx';
import { errorWords, STORAGE_LABELS, STORAGE_NAMES, StorageErrors } from './StorageErrors.tsx';

export function ChosenCard() {
  const models = useModelActions();
  const chosen = useModels((state) => state.chosen);
  if (!chosen) return null;
  const { name, inspection, problem } = chosen;
  return (
    <article className="model-chosen" aria-labelledby="chosen-title">
      <header className="model-chosen-head">
        <h3 id="chosen-title">{name}</h3>
        <Button icon="close" aria-label={`Close ${name}`} onClick={models.dismiss} />
      </header>
      {problem ? (
        <Problem problem={problem} />
      ) : inspection ? (
        <Facts chosen={chosen} inspection={inspection} />
      ) : (
        <p role="status">Reading its config and headers …</p>
      )}
      {chosen.place.kind === 'hub' ? null : <ExaminationFold chosen={chosen} />}
    </article>
  );
}

function Facts({ chosen, inspection }: { chosen: ChosenModel; inspection: ModelInspection }) {
  const { id, config, parameters, weightBytes, bytes: all, missingBytes, roomBytes, warnings } = inspection;
  const { hasTokenizer, hasChatTemplate, device, limitBytes, kept } = inspection;
  const isKept = chosen.place.kind === 'kept' || kept?.complete === true;
  const there = all - missingBytes;
  return (
    <>
      <dl className="facts-table">
        <FactRow name="Id" className="mono">
          {id}
        </FactRow>
        <FactRow name="Shape" className="num">
          {shapeWords(config)}
        </FactRow>
        <FactRow name="Parameters" className="num">
          {parameters.toLocaleString('en-GB')}, {bytesText(weightBytes)} of weight files
        </FactRow>
        <FactRow name="On disk" className="num">
          {isKept
            ? `${bytesText(all)}, kept here`
            : `${bytesText(missingBytes)} to be written if it is kept${chosen.place.kind === 'hub' && there > 0 ? `, ${bytesText(there)} are here already` : ''}${roomBytes === null ? '' : `; ${bytesText(roomBytes)} are free`}`}
          {!isKept && roomBytes !== null && missingBytes > roomBytes ? (
            <span className="error"> It does not fit: delete kept models or runs first.</span>
          ) : null}
        </FactRow>
        <FactRow name="Text">
          {hasTokenizer ? 'tokenizer' : 'no tokenizer'}, {hasChatTemplate ? 'chat template' : 'no chat template'}
        </FactRow>
      </dl>
      <StorageField chosen={chosen} inspection={inspection} />
      <StorageErrors />
      <Plans inspection={inspection} />
      <p className="muted note num">
        Bytes on {device}
        {limitBytes === null ? ', which does not say how much it has' : `, which has ${bytesText(limitBytes)}`}.
        Training uses the form’s settings and the longest rollouts. Merged weights are the weights with the adapter
        applied; adapter factors are the singular vectors that its adapter parameters scale, or LoRA’s matrices. Beside
        the device: the lab, the tokenizer and buffers for loading. On the CPU all of it is this page’s memory.
        {inspection.train?.form === 'unfolded'
          ? ' Training computes the adapter beside the weights, since merged weights do not fit.'
          : ''}
      </p>
      {warnings.length > 0 ? (
        <ul className="warnings muted note">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      ) : null}
      <Misfit what="Answering" plan={inspection.generate} />
      <Misfit what="Training with the form’s settings" plan={inspection.train} />
      <Buttons chosen={chosen} inspection={inspection} isKept={isKept} />
    </>
  );
}

function StorageField({ chosen, inspection: { generate, train } }: Omit<ButtonsProps, 'isKept'>) {
  const models = useModelActions();
  const { storage } = train && !train.misfit ? train : generate;
  return (
    <ChoiceField
      label="Weights on the device"
      className="model-storage"
      value={chosen.storage}
      options={STORAGE_LABELS}
      onChange={(choice) => void models.setStorage(choice)}
      help={
        <>
          {chosen.storage === 'auto' ? `Here ${STORAGE_NAMES[storage]}. ` : ''}
          {errorWords(storage)}
          Computation and trained parameters stay in 32 bits.
        </>
      }
    />
  );
}

const PARTS = [
  ['weights', 'Weights'],
  ['folded', 'Merged weights'],
  ['factors', 'Adapter factors'],
  ['keyValues', 'KV cache'],
  ['activations', 'Activations'],
  ['optimizer', 'Optimizer and bases'],
  ['total', 'On the device'],
  ['largest', 'Largest buffer'],
  ['host', 'Beside it'],
  ['calls', 'GPU calls a token'],
] as const;

function Plans({ inspection: { generate, train } }: { inspection: ModelInspection }) {
  return (
    <DataTable
      label="Memory plan"
      isNamed
      className="result model-plan"
      rows={PARTS}
      columns={[
        { head: 'Memory', cell: ([, label]) => label },
        { head: 'To answer', cell: ([part]) => plannedBytes(generate, part) },
        ...(train ? [{ head: 'To train', cell: ([part]: (typeof PARTS)[number]) => plannedBytes(train, part) }] : []),
      ]}
    />
  );
}

function plannedBytes({ need, host, callsPerToken }: ModelPlan, part: (typeof PARTS)[number][0]) {
  if (part === 'host') return bytesText(host.total);
  if (part === 'calls') return callsPerToken.toLocaleString('en-GB');
  return part === 'total' ? <b>{bytesText(need.total)}</b> : bytesText(need[part]);
}

function Misfit({ what, plan }: { what: string; plan: ModelPlan | null }) {
  if (!plan?.misfit) return null;
  return (
    <p className="callout bad">
      <b>
        {what} {plan.misfit.message}
      </b>{' '}
      {plan.misfit.remedy}
    </p>
  );
}

interface ButtonsProps {
  chosen: ChosenModel;
  inspection: ModelInspection;
  isKept: boolean;
}

function Buttons({ chosen, inspection, isKept }: ButtonsProps) {
  const models = useModelActions();
  const busy = useLab((state) => state.busy);
  const working = useModels((state) => state.work !== null);
  const { hasTokenizer, generate, missingBytes, roomBytes, kept } = inspection;
  const isHub = chosen.place.kind === 'hub';
  const fits = roomBytes === null || missingBytes <= roomBytes;
  const canUse = !busy && !working && hasTokenizer && generate.misfit === null && (!isHub || isKept || fits);
  return (
    <div className="kept-tools">
      <Button
        icon="play"
        label={isHub && !isKept ? `Download and load` : 'Load'}
        isLarge
        tone="primary"
        disabled={!canUse}
        onClick={() => void models.loadChosen()}
      />
      {isKept ? null : (
        <Button
          icon="download"
          label={isHub ? (kept ? 'Resume the download' : 'Download') : 'Keep in this browser'}
          isLarge
          disabled={working || !fits}
          onClick={() => void models.keepChosen()}
        />
      )}
      {hasTokenizer ? null : <span className="muted">Without a tokenizer it cannot be given text.</span>}
    </div>
  );
}
