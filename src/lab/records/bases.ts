// Hack bases in the store: extracted by runs, extracted by the user, or dropped, each under the sha-256 of its file. An extracted one also
// has a report with data that its file cannot contain: its pair set and settings, and how many pairs support each axis.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { RawBasis } from '../../algorithms/extraction.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import type { AxisVotes, BasisInfo } from '../../experiments/records/artifacts.ts';
import { bytesSource } from '../../storage/safetensors.ts';
import { sha256 } from '../../storage/sources.ts';
import type { BasisOrigins, BasisReport } from '../protocol/bases.ts';
import { KeptReports } from './kept-reports.ts';

// Most visits at most list bases, so the code that reads them is loaded on demand.
const basisFiles = () => import('../../storage/basis-file.ts');

/** The model that a basis must fit. */
export interface BasisTarget {
  layout: AdapterLayout;
  modelSha256: string;
}

interface StoredBasis {
  report: BasisReport;
  bytes: Uint8Array<ArrayBuffer>;
  /** Votes by module; absent for a file, and for a basis extracted by a run of an older version. */
  votes?: Record<string, AxisVotes>;
}

export class BasisStore extends KeptReports<StoredBasis> {
  /** Null if there is none. */
  async bytes(id: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return (await this.kept(id))?.bytes ?? null;
  }

  /** Its directions, checked against the model and (without `anyAdapter`) its adapter; null if there is none. */
  async load(id: string, target: BasisTarget, anyAdapter = false): Promise<RawBasis | null> {
    const kept = await this.kept(id);
    if (!kept) return null;
    const { readBasisFile } = await basisFiles();
    const options = { label: kept.report.name, modelSha256: target.modelSha256, anyAdapter };
    return (await readBasisFile(bytesSource(kept.bytes), target.layout, options)).modules;
  }

  /** The basis of any adapter, with its stored report. Throws SpecError if there is none. */
  async open(id: string, target: BasisTarget): Promise<{ report: BasisReport; raw: RawBasis; votes: Votes }> {
    const kept = await this.kept(id);
    const raw = kept && (await this.load(id, target, true));
    if (kept && raw) return { report: kept.report, raw, votes: kept.votes ?? {} };
    throw new SpecError('There is no such basis in this browser.', 'Import or extract it again, or choose another.');
  }

  /** Report of a basis file; throws FormatError if it does not fit the model. */
  async check(
    bytes: Uint8Array<ArrayBuffer>,
    name: string,
    { layout, modelSha256 }: BasisTarget,
    origin: BasisReport['origin'] = 'file',
  ): Promise<BasisReport> {
    const { readBasisFile, coverOf } = await basisFiles();
    const { modules, metadata, zeroRows, warnings } = await readBasisFile(bytesSource(bytes), layout, {
      label: name,
      modelSha256,
      // A user may store a basis of another adapter than the loaded one; a run checks it against its own.
      anyAdapter: true,
    });
    return {
      id: await sha256(bytes),
      name,
      bytes: bytes.byteLength,
      modules: coverOf(modules).modules,
      modelModules: layout.modules.length,
      k: Math.max(...[...modules.values()].map(({ k }) => k)),
      zeroRows,
      nPairs: metadata.nPairs,
      tauAxis: metadata.tauAxis,
      nHeldout: metadata.nHeldout,
      modelSha256: metadata.modelSha256,
      pairsSha256: metadata.pairsSha256,
      warnings,
      origin,
      createdAt: this.date(),
    };
  }

  async saveFile(bytes: Uint8Array<ArrayBuffer>, name: string, target: BasisTarget): Promise<BasisReport> {
    return this.#added(bytes, await this.check(bytes, name, target));
  }

  /** Stores a basis that a run extracted. */
  async saveExtracted(info: BasisInfo, raw: RawBasis, target: BasisTarget): Promise<BasisReport> {
    const { adapterMetadata, writeBasisFile } = await basisFiles();
    const bytes = writeBasisFile(raw, { ...info, ...adapterMetadata(target.layout) });
    const report = await this.check(bytes, `k ${info.k}, ${info.nPairs} pairs`, target, 'extracted');
    return this.#added(bytes, report, info.votes);
  }

  /** Stores a basis that the user extracted. If a run has stored it already, it gets the user's name and a new report. */
  async saveRequested(
    info: BasisInfo,
    raw: RawBasis,
    target: BasisTarget,
    about: { name: string; origins: BasisOrigins; votes: Votes },
  ): Promise<BasisReport> {
    const { adapterMetadata, writeBasisFile } = await basisFiles();
    const bytes = writeBasisFile(raw, { ...info, ...adapterMetadata(target.layout) });
    const checked = await this.check(bytes, about.name, target, 'extracted');
    const known = await this.kept(checked.id);
    const report = { ...checked, createdAt: known?.report.createdAt ?? checked.createdAt, origins: about.origins };
    await this.keep(report.id, { report, bytes, votes: { ...about.votes } });
    return report;
  }

  /** A stored file keeps its name and date. */
  async #added(bytes: Uint8Array<ArrayBuffer>, report: BasisReport, votes?: Votes): Promise<BasisReport> {
    const known = await this.kept(report.id);
    if (known) return known.report;
    await this.keep(report.id, { report, bytes, ...(votes ? { votes } : {}) });
    return report;
  }
}

type Votes = Readonly<Record<string, AxisVotes>>;
