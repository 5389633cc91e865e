const shards = 10;

/** The partition key of an event. eventId is a text such as 'e-10234'. */
export function writeKey(shipment, eventId) {
  return `SHIPMENT#${shipment}#${Number(eventId.replace(/\D/g, '')) % shards}`;
}

/** Every partition key under which events of the shipment may lie. */
export function readKeys(shipment) {
  return Array.from({ length: shards }, (_, shard) => `SHIPMENT#${shipment}#${shard}`);
}
