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
