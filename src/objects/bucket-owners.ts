import { link, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type BucketRequester, ObjectsError } from '../engine/transfers/objects.ts';
import { makePrivateDirectory, openPrivateFile } from '../files/private-files.ts';
import { systemReason } from '../files/system-reason.ts';
import { secrets } from '../runtime/machine/machine.ts';

/** The account of callers that have none of their own, and the owner of buckets that nobody else owns. */
export const defaultAccountId = '000000000000';

/** No bucket can have this name, since theirs begin with a letter or a digit. */
const ownersFolder = '.stator-owners';

/**
 * Refuses a bucket of another account, or one whose owner is not the expected one.
 *
 * The file `<root>/.stator-owners/<bucket>` holds the number of the owner. The first export into an empty bucket makes it, so
 * that what an account exports is its own. A bucket without the file, such as a folder of files to import, belongs to the
 * default account. To give it to another account, write the file.
 */
export async function checkOwner(
  root: string,
  bucket: string,
  { account, expectedOwner }: BucketRequester,
  isWritten: boolean,
): Promise<void> {
  const mayClaim = isWritten && (expectedOwner ?? account) === account;
  const owner =
    (await ownerOf(root, bucket)) ?? (mayClaim ? await claimed(root, bucket, account) : undefined);
  if ((owner ?? defaultAccountId) !== account)
    throw new ObjectsError(
      'S3AccessDenied',
      `The bucket ${JSON.stringify(bucket)} belongs to another account. The owner's number is in ${ownersFolder}/${bucket}, beside the buckets; without that file it is ${defaultAccountId}`,
    );
  if (expectedOwner !== undefined && expectedOwner !== account)
    throw new ObjectsError(
      'S3AccessDenied',
      `The bucket ${JSON.stringify(bucket)} does not belong to account ${expectedOwner}, which the request expects`,
    );
}

async function ownerOf(root: string, bucket: string): Promise<string | undefined> {
  try {
    return (await readFile(join(root, ownersFolder, bucket), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ObjectsError(
      'S3AccessDenied',
      `The owner of ${bucket} cannot be read: ${systemReason(error)}`,
      { cause: error },
    );
  }
}

/** Makes the account the owner of an empty bucket. Of several at once the first wins; answers the owner. */
async function claimed(root: string, bucket: string, account: string): Promise<string | undefined> {
  if ((await readdir(join(root, bucket))).length > 0) return undefined;
  const folder = join(root, ownersFolder);
  const part = join(folder, `.${secrets.uuid()}`);
  try {
    makePrivateDirectory(folder);
    const file = await openPrivateFile(part, 'wx');
    try {
      await file.writeFile(`${account}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    // A link, and no renaming: it fails where another process was faster.
    await link(part, join(folder, bucket)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw new ObjectsError('S3Error', `The owner of ${bucket} cannot be written: ${systemReason(error)}`, {
      cause: error,
    });
  } finally {
    await unlink(part).catch(() => {});
  }
  return ownerOf(root, bucket);
}
