import Rules

extension RuleEnginePort {
    /// The engine of a running node.
    package init(_ node: NodeRules) {
        self.init(
            send: { node.send($0) },
            standings: { ids in
                await node.read { rules, core in
                    var found: [Int: Standing] = [:]
                    for id in ids {
                        guard let isOn = rules.isOn(id) else { continue }
                        let suspension = rules.suspension(of: id)
                        found[id] = Standing(
                            isOn: isOn,
                            suspension,
                            rules.times(of: id),
                            missing: suspension == .gone ? rules.missing(of: id, in: core) : []
                        )
                    }
                    return found
                }
            },
            explanation: { await node.explanation(of: $0) },
            test: { await node.test($0, $1) },
            run: { await node.run($0) }
        )
    }
}
