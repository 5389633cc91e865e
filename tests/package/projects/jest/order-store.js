const { GetCommand, PutCommand } = require('@aws-sdk/lib-dynamodb');

/** The code under test: it makes its requests with the client that it was given. */
exports.OrderStore = class OrderStore {
  constructor(client) {
    this.client = client;
  }

  async create(order) {
    const condition = { ConditionExpression: 'attribute_not_exists(id)' };
    await this.client.send(new PutCommand({ TableName: 'orders', Item: order, ...condition }));
  }

  async find(id) {
    const { Item } = await this.client.send(new GetCommand({ TableName: 'orders', Key: { id } }));
    return Item;
  }
};
