import Threading

/// An open stream; it is closed once, at the latest when its response is gone, whether or not that was ever sent.
final class StreamSlot: Sendable {
    private let isOpen = Locked(true)
    private let onClose: @Sendable () -> Void

    init(onClose: @escaping @Sendable () -> Void) { self.onClose = onClose }

    deinit { close() }

    func close() {
        let isFirst = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if isFirst { onClose() }
    }
}
