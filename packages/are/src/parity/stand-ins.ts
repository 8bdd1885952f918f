// Small apps that are where a recorded run of the event loop needs some app, whatever it does: what is compared is the loop.
import { AppBase } from '../app.ts';
import { assertionError } from '../python-error.ts';
import { toolsOf } from '../tool.ts';
import type { Tool } from '../types.ts';

export class BoxApp extends AppBase {
  constructor(className = 'BoxApp') {
    super(className);
  }

  get tools(): readonly Tool[] {
    return BOX_TOOLS;
  }

  getState() {
    return {};
  }

  loadState(): void {}

  reset(): void {}
}

const boxTool = toolsOf<BoxApp>();
const BOX_TOOLS = [
  boxTool({
    name: 'open_box',
    roles: ['env'],
    operation: 'WRITE',
    returns: 'int',
    params: {},
    about: 'Gives 1.',
    run: () => 1,
  }),
  boxTool({
    name: 'send_email_to_user_only',
    roles: ['env'],
    operation: 'WRITE',
    returns: 'str',
    params: { sender: { type: 'str' } },
    about: 'Something that is told of at MEDIUM.',
    run: (app) => app.draws.id(),
  }),
];

/** The wait alone. */
export class SilentSystem extends AppBase {
  constructor() {
    super('SystemApp');
  }

  get tools(): readonly Tool[] {
    return SYSTEM_TOOLS;
  }

  getState() {
    return null;
  }

  loadState(): void {}

  reset(): void {}
}

const SYSTEM_TOOLS = [
  toolsOf<SilentSystem>()({
    name: 'wait_for_notification',
    roles: ['agent'],
    operation: 'READ',
    returns: 'NoneType',
    params: { timeout: { type: 'int', default: 0 } },
    about: 'Waits.',
    run: (app, { timeout }) => {
      if (timeout < 0) throw assertionError('Timeout must be non-negative');
      app.world.wait(timeout);
      return null;
    },
  }),
];
