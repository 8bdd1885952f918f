// Props that the table of stored records passes to the row of one record, whatever its kind.
import type { KindId } from '../../../experiments/records/kind.ts';
import type { SummaryOf } from '../../../lab/protocol/kept.ts';

export interface KeptRowProps<K extends KindId> {
  entry: SummaryOf<K>;
  /** Whether it is selected for actions on several records; absent in a list without selection. */
  isChosen?: boolean;
  onChoose?: () => void;
}
