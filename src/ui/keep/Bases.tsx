// v_hack bases: the last dropped file with the result of its check, and the stored bases.

import type { BasisOrigins, BasisReport } from '../../lab/protocol/bases.ts';
import { bytesText, moment } from '../../lib/numbers.ts';
import type { BasisDrop } from '../../store/lab-state.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { saveFile } from '../parts/DownloadButton.tsx';
import { Fact } from '../parts/Fact.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { Empty, Section } from '../parts/Section.tsx';

export function Bases() {
  const lab = useLabActions();
  const bases = useLab((state) => state.bases);
  const drop = useLab((state) => state.basisDrop);
  return (
    <Section
      id="bases"
      title="Hack bases"
      lead="Drop a safetensors file with V/<module> and S/<module> anywhere on the page."
      actions={
        <FileButton
          label="Choose a file"
          what="Basis file"
          accept=".safetensors"
          onFiles={([file]) => void lab.dropBasis(file)}
        />
      }
    >
      {drop ? <DropReport drop={drop} /> : null}
      {bases.length === 0 ? (
        <Empty title="No basis kept yet">
          <p>
            A run extracts its own from labelled pairs and keeps it here. One made elsewhere is checked when it is
            dropped: module names, ranks, orthonormal rows, the model it was made for.
          </p>
        </Empty>
      ) : (
        <ul className="kept" aria-label="Kept bases">
          {bases.map((report) => (
            <BasisRow key={report.id} report={report} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function DropReport({ drop }: { drop: BasisDrop }) {
  const lab = useLabActions();
  if (drop.status === 'checking') {
    return (
      <div className="callout" role="status">
        <p>Checking {drop.name} …</p>
      </div>
    );
  }
  if (drop.status === 'refused') {
    return (
      <div className="callout bad" role="alert">
        <p>
          <b>{drop.name} is not usable.</b> {drop.problem.message}
        </p>
        <p>{drop.problem.remedy}</p>
        <Button label="Dismiss" onClick={lab.forgetDrop} />
      </div>
    );
  }
  const { report } = drop;
  return (
    <div className="callout good" role="status">
      <p>
        <b>{report.name} is valid</b> and set for the next run.
      </p>
      <BasisFacts report={report} />
      {report.warnings.length > 0 ? (
        <ul className="warnings">
          {report.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      ) : null}
      <Button label="Dismiss" onClick={lab.forgetDrop} />
    </div>
  );
}

function BasisFacts({ report }: { report: BasisReport }) {
  const facts = [
    ['modules', `${report.modules} of ${report.modelModules}`],
    ['axes', `up to ${report.k} each`],
    ['zero rows', String(report.zeroRows)],
    ['pairs', report.nPairs === null ? 'unknown' : String(report.nPairs)],
    ['size', bytesText(report.bytes)],
    ['sha-256', `${report.id.slice(0, 12)}…`],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function BasisRow({ report }: { report: BasisReport }) {
  const lab = useLabActions();
  const inUse = useLab(
    (state) => state.draft.fields.basisSource === 'file' && state.draft.fields.basisFile === report.id,
  );

  async function save(): Promise<void> {
    const blob = await lab.loadBasis(report.id);
    if (blob) saveFile(report.name.endsWith('.safetensors') ? report.name : `${report.name}.safetensors`, blob);
  }

  return (
    <li className={inUse ? 'kept-row shown' : 'kept-row'}>
      <div className="kept-main">
        <p className="kept-name">
          <b>{report.name}</b> <span className="tag">{report.origin === 'file' ? 'from a file' : 'extracted'}</span>
        </p>
        <p className="muted num">
          {report.modules} of {report.modelModules} modules · up to {report.k} axes ·{' '}
          {report.nPairs === null ? 'pairs unknown' : `${report.nPairs} pairs`} · {bytesText(report.bytes)} ·{' '}
          {moment(report.createdAt)}
        </p>
        {report.origins ? <p className="muted">{originsOf(report.origins)}</p> : null}
        {report.warnings.map((warning) => (
          <p key={warning} className="muted">
            {warning}
          </p>
        ))}
      </div>
      <div className="kept-tools">
        {inUse ? (
          <Button label="In use: remove" onClick={lab.clearBasis} />
        ) : (
          <Button
            icon="check"
            label="Use"
            onClick={() => lab.chooseBasis(report.id)}
            aria-label={`Use ${report.name} in the next run`}
          />
        )}
        <Button icon="download" onClick={() => void save()} aria-label={`Download ${report.name}`} title="Download" />
        <Button
          icon="trash"
          onClick={() => void lab.removeBasis(report)}
          aria-label={`Delete ${report.name}`}
          title="Delete"
        />
      </div>
    </li>
  );
}

/** The basis's pairs and extraction settings in one line. */
function originsOf({
  pairSet,
  pairSetName,
  pairModes,
  basisKind,
  basisLoss,
  solveOrth,
  tauAxis,
  nHeldout,
  adapter,
  loraRank,
}: BasisOrigins): string {
  return [
    `from ${pairSetName}${pairSetName === pairSet ? '' : ` (${pairSet.slice(0, 14)})`}`,
    pairModes.length > 0 ? `modes ${pairModes.join(', ')}` : null,
    basisKind === 'mean_diff' ? 'mean difference' : 'svd',
    basisLoss,
    tauAxis > 0 ? `τ ${tauAxis}` : null,
    solveOrth > 0 ? `${solveOrth} solve axes stripped` : null,
    nHeldout > 0 ? `${nHeldout} held out` : null,
    adapter === 'lora' ? `LoRA of rank ${loraRank}` : null,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}
