import Controller

/// Carries out the controller's timers: one firing each, replaced when started again.
struct TimerService: Sendable {
    enum Request: Sendable {
        case start(ControllerTimer, Duration)
        case stop(ControllerTimer)
        case due(ControllerTimer, number: Int)
    }

    let requests: AsyncStream<Request>
    let port: AsyncStream<Request>.Continuation
    let send: @Sendable (ControllerEvent) -> Void

    func run() async {
        var running: [ControllerTimer: Int] = [:]
        var started = 0
        await withDiscardingTaskGroup { group in
            for await request in requests {
                switch request {
                case .start(let timer, let duration):
                    started += 1
                    let number = started
                    running[timer] = number
                    group.addTask {
                        guard (try? await Task.sleep(for: duration)) != nil else { return }
                        port.yield(.due(timer, number: number))
                    }
                case .stop(let timer):
                    running[timer] = nil
                case .due(let timer, let number):
                    guard running[timer] == number else { continue }
                    running[timer] = nil
                    send(.timerFired(timer))
                }
            }
            group.cancelAll()
        }
    }
}
