// The app that does nothing (ARE's App), which a scenario file may name.
import { AppBase } from '../app.ts';
import type { Tool } from '../types.ts';

export class BareApp extends AppBase {
  readonly tools: readonly Tool[] = [];

  constructor(name?: string) {
    super('App', name);
  }

  getState(): null {
    return null;
  }

  loadState(): void {}

  reset(): void {}
}
