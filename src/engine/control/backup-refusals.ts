import { DynamoError, validationError } from '../../model/errors.ts';

/**
 * The refusals of the backup operations, which name missing tables in words of their own. Texts and order of checks are
 * those of the service (observed: ACK, DDB-BACKUP and DDB-TABLE).
 */
/** The operations on backups name the table, ExportTableToPointInTime its ARN (observed: moto's AWS tests). */
export function backupTableNotFound(table: string): DynamoError {
  return new DynamoError('TableNotFoundException', `Table not found: ${table}`);
}

export function backupNotFound(arn: string): DynamoError {
  return new DynamoError('BackupNotFoundException', `Backup not found: ${arn}`);
}

export function backupInUse(text: string): DynamoError {
  return new DynamoError('BackupInUseException', text);
}

export function tableAlreadyExists(tableName: string): DynamoError {
  return new DynamoError('TableAlreadyExistsException', `Table already exists: ${tableName}`);
}

export function invalidRequest(text: string): DynamoError {
  return validationError(`Invalid Request: ${text}`);
}
