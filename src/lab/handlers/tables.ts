// The worker's handlers for the user's data sets: a part of the table in handlers.ts. A file is read in slices in its place, and nothing is
// stored: converted rows are imported like any file.

import { convertTable, firstRows, previewOf } from '../../environments/datasets/convert.ts';
import { TARGETS } from '../../environments/datasets/targets.ts';
import type { DataTable } from '../../lib/data-table.ts';
import { openHubTable } from '../../storage/datasets/hub-table.ts';
import { openTable } from '../../storage/datasets/table.ts';
import type { HubOptions } from '../../storage/models/http.ts';
import {
  type ConvertedTable,
  TABLE_TARGETS,
  type TableConversion,
  type TableMapping,
  type TableReport,
  type TableSource,
  type TableTarget,
  type TargetInfo,
} from '../protocol/tables.ts';
import type { HandlerParts } from '../work/parts.ts';

/** Rows shown before the conversion. */
const SHOWN = 5;

interface TableRequest {
  task: string;
  source: TableSource;
}

/** @param hub access to the Hub; tests pass a fake one */
export function createTableHandlers({ tasks }: Pick<HandlerParts, 'tasks'>, hub: HubOptions = {}) {
  async function opened(source: TableSource, signal: AbortSignal): Promise<DataTable> {
    if ('file' in source) return openTable(source.file, source.name);
    return (await openHubTable(source, { ...hub, signal })).table;
  }
  const infoOf = (target: TableTarget): TargetInfo => {
    const { what, fields } = TARGETS[target];
    const list = Object.entries(fields).map(([name, { about, needed = false }]) => ({ name, about, isNeeded: needed }));
    // Required fields come first.
    return { what, fields: [...list.filter((one) => one.isNeeded), ...list.filter((one) => !one.isNeeded)] };
  };
  return {
    /** The table's columns and first rows. */
    readTable: ({ task, source }: TableRequest) =>
      tasks.run(task, async (signal): Promise<TableReport> => {
        const table = await opened(source, signal);
        const { name, columns, rows } = table;
        const targets = Object.fromEntries(TABLE_TARGETS.map((target) => [target, infoOf(target)]));
        const { first, paths } = await firstRows(table, SHOWN);
        return { name, columns: [...columns], rows, first, paths, targets: targets as TableReport['targets'] };
      }),
    /** The first rows after the conversion. */
    previewTable: ({ task, source, target, map }: TableRequest & TableMapping) =>
      tasks.run(task, async (signal) => previewOf(await opened(source, signal), TARGETS[target], { map }, SHOWN)),
    /** All rows as a file of the lab's own format, read the same way as an import. */
    convertTable: ({ task, source, target, ...how }: TableRequest & TableConversion) =>
      tasks.run(task, async (signal): Promise<ConvertedTable> => {
        const table = await opened(source, signal);
        const made = await convertTable(table, TARGETS[target], { ...how, first: null });
        TARGETS[target].check(made.text, `${table.name}, as mapped`);
        const { taken, dropped, isCut } = made;
        return { file: new Blob([made.text]), taken, dropped, isCut };
      }),
  };
}
