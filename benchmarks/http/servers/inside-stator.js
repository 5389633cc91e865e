// Loaded before `stator start`, which then can be profiled and ends with whoever started it.
import { endWithParent } from './end-with-parent.js';
import { profileOnSignal } from './profile-on-signal.js';

profileOnSignal();
endWithParent();
