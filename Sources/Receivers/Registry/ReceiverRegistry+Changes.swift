import Text

/// For the log.
extension ReceiverRegistry.Change: CustomStringConvertible {
    package var description: String {
        switch self {
        case .appeared(let name): "\(name) is heard"
        case .silent(let name): "\(name) has been silent for a minute"
        case .returned(let name): "\(name) is heard again"
        case .restarted(let name): "\(name) has restarted"
        case .unusable(let name, let why): "most messages of \(name) cannot be used: \(why)"
        case .usable(let name): "the messages of \(name) can be used again"
        case .ignored(let name): "\(name) is ignored: there are more than \(ReceiverRegistry.most) receivers"
        }
    }
}

extension ReceiverRegistry.Change {
    /// Changes as a log has them, each with its text: receivers that fall silent together are one line.
    package static func lines(of changes: [Self]) -> [(change: Self, text: String)] {
        let silent = changes.compactMap { if case .silent(let name) = $0 { name } else { nil } }
        guard silent.count > 1 else { return changes.map { ($0, "\($0)") } }
        var lines: [(change: Self, text: String)] = []
        var isListed = false
        for change in changes {
            guard case .silent = change else {
                lines.append((change, "\(change)"))
                continue
            }
            guard !isListed else { continue }
            isListed = true
            let more = silent.count > mostListed ? " and \(silent.count - mostListed) more" : ""
            let names = QuotedValue.list(Array(silent.prefix(mostListed))) + more
            lines.append((change, "\(silent.count) have been silent for a minute: \(names)"))
        }
        return lines
    }

    private static let mostListed = 20
}
