// Entry of a helper thread in a browser: its first message is what it begins with; when its board says stop, it closes.
import { type HelperInit, helper } from './helper.ts';

self.onmessage = ({ data }: MessageEvent<HelperInit>) => {
  helper(data, () => self.postMessage('ready'));
  self.close();
};
