// How the page speaks of what is kept, of whatever kind: what a list, a notice and a link say of one.
import type { KeptKind, SummaryOf } from '../../lab/protocol/kept.ts';
import type { LabState } from '../lab-state.ts';
import type { ShareLink } from '../share/actions.ts';
import type { Probe } from './probe/probe.ts';

/** Parts of the page's store that a kind may need for it. */
export interface KindPorts {
  /** Puts a kept run on show; goes on with one. */
  open(id: string): Promise<void>;
  shareKept(id: string): Promise<ShareLink | null>;
  resume(id: string): Promise<void>;
  openProbe(): Promise<Pick<Probe, 'linkOf' | 'run' | 'goOn'>>;
}

/** A link, and what is said of it when it is copied. */
export interface KeptLink {
  href: string;
  /** `the experiment and 40 steps of each run` */
  carries: string;
  /** A sentence with a space before it, or nothing. */
  needs: string;
}

export interface KeptKindOnPage<K extends KeptKind> {
  /** What it is called while it has no name of its own: what it is of. */
  unnamed(entry: SummaryOf<K>): string;
  /** What a search looks through, besides name, tags and note. */
  texts(entry: SummaryOf<K>): readonly string[];
  /** done, running, waiting, stopped or failed. */
  status(entry: SummaryOf<K>): string;
  /** Milliseconds since the epoch. */
  changedAt(entry: SummaryOf<K>): number;
  /** About how many bytes; 0 where nobody counts them. */
  size(entry: SummaryOf<K>): number;
  /** Of its zip. */
  fileName(entry: SummaryOf<K>): string;
  /** Of the button that copies its link. */
  linkHelp: string;
  /** What is said of one that came as a file. */
  imported(entry: SummaryOf<K>, ports: KindPorts): { message: string; action?: { label: string; run(): void } };
  /** The page's address with it; null, and a notice, where it is gone. */
  link(entry: SummaryOf<K>, href: string, ports: KindPorts): Promise<KeptLink | null>;
  /** Whether it was left unfinished, and can be gone on with; it then goes on where it was stopped, in its own view. */
  canResume(entry: SummaryOf<K>): boolean;
  resume(entry: SummaryOf<K>, ports: KindPorts): Promise<void>;
  /** What changes on the page, besides the list, with news of one, and when one is deleted. */
  arrives?(state: LabState, entry: SummaryOf<K>): Partial<LabState>;
  leaves?(state: LabState, id: string): Partial<LabState>;
}
