// A store of values that each have a report, which is what a list returns.
import type { KeyValue } from '../../storage/kv.ts';

export class KeptReports<Kept extends { report: { createdAt: number } }> {
  constructor(
    private readonly store: KeyValue,
    protected readonly date: () => number,
  ) {}

  /** Reports, newest first. */
  async list(): Promise<Kept['report'][]> {
    const reports = await Promise.all((await this.store.keys()).map((id) => this.reportOf(id)));
    return reports.filter((report) => report !== null).sort((a, b) => b.createdAt - a.createdAt);
  }

  async delete(id: string): Promise<void> {
    await this.store.delete(id);
  }

  protected kept(id: string): Promise<Kept | undefined> {
    return this.store.get<Kept>(id);
  }

  protected keep(id: string, kept: Kept): Promise<void> {
    return this.store.set(id, kept);
  }

  /** Null if there is no such entry. */
  protected async reportOf(id: string): Promise<Kept['report'] | null> {
    return (await this.kept(id))?.report ?? null;
  }
}
