import Controller

/// The commands whose answers are awaited by requests, by ticket.
struct PendingAnswers {
    private var requests: [Int: (request: CheckedContinuation<Answer, Never>, timer: Task<Void, Never>)] = [:]
    /// Begins anywhere: the answers to the commands of a hub before this one may still come.
    private var lastTicket = Int.random(in: 0...(1 << 52))

    var count: Int { requests.count }

    /// Another ticket.
    mutating func nextTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// - Parameter timer: Cancelled when the answer comes.
    mutating func add(_ ticket: Int, _ request: CheckedContinuation<Answer, Never>, timer: Task<Void, Never>)
    {
        requests[ticket] = (request, timer)
    }

    /// Ends a request; nothing happens if it has ended before.
    mutating func end(_ ticket: Int, with answer: Answer) {
        guard let pending = requests.removeValue(forKey: ticket) else { return }
        pending.timer.cancel()
        pending.request.resume(returning: answer)
    }

    var tickets: [Int] { Array(requests.keys) }
}
