// A minimal app for recorded runs of the event loop, which do not test the app.
import { StatelessApp } from '../../app.ts';
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';

export class BoxApp extends StatelessApp {
  constructor(className = 'BoxApp') {
    super(className);
  }

  get tools(): readonly Tool[] {
    return BOX_TOOLS;
  }
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
