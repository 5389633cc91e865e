import { afterEach, describe, expect, it, vi } from 'vitest';
import { confirmAws } from './doors.ts';

describe('the door to AWS', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('opens for those alone who agreed to tables in their account', () => {
    for (const consent of [undefined, '', '1', 'true']) {
      vi.stubEnv('STATOR_TEST_AWS_CONFIRM', consent);
      expect(confirmAws).toThrow('docs/contributing/against-aws.md');
    }
    vi.stubEnv('STATOR_TEST_AWS_CONFIRM', 'create-and-delete-tables');
    expect(confirmAws).not.toThrow();
  });
});
