/// The commands for rules that have come over the broker, in their order.
final class RuleCommands: Sendable {
    private let node: NodeRules
    private let requests: AsyncStream<RulesSlice.Request>
    private let port: AsyncStream<RulesSlice.Request>.Continuation

    init(_ node: NodeRules) {
        self.node = node
        (requests, port) = AsyncStream.makeStream()
    }

    /// Adds a command; the slice limits how many wait.
    func add(_ request: RulesSlice.Request) { port.yield(request) }

    /// Has them carried out one after the other, until the task is cancelled.
    func run(_ service: RuleService) async {
        for await request in requests {
            let (slug, refusal) = await service.carryOut(request)
            node.send(.settled(request.number, slug: slug, refusal))
        }
    }
}
