// Props that the table of kept records gives to the line of one record, whatever its type.
import type { KindId } from '../../../experiments/records/kind.ts';
import type { SummaryOf } from '../../../lab/protocol/kept.ts';

export interface KeptRowProps<K extends KindId> {
  entry: SummaryOf<K>;
  /** Whether it is selected, for what is done to several; absent in a list where none can be. */
  isChosen?: boolean;
  onChoose?: () => void;
}
