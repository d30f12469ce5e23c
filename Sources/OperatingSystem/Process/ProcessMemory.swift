import CMalloc
import CProcess

/// The memory of this process.
/// - Source: proc(5), /proc/pid/status.
package struct ProcessMemory: Sendable, Hashable {
    /// What is in memory, bytes.
    package let resident: Int
    /// The part of it that no file could give back, bytes.
    package let anonymous: Int

    /// - Returns: `nil` if the system does not say.
    package static func now() -> ProcessMemory? {
        guard let text = ProcessTable.text("/proc/self/status") else { return nil }
        return ProcessMemory(status: text)
    }

    /// From the text of the file.
    package init?(status text: String) {
        func bytes(_ name: String) -> Int? {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            guard let line, let kilobytes = Int(line.filter(\.isNumber)), kilobytes < 1 << 40 else {
                return nil
            }
            return kilobytes * 1024
        }
        guard let resident = bytes("VmRSS"), let anonymous = bytes("RssAnon") else { return nil }
        (self.resident, self.anonymous) = (resident, anonymous)
    }

    /// Gives back what only the start needed: free memory of the heap, and code and constants that nothing has used since.
    ///
    /// Code and constants come again from the kernel's cache, or from the file, where they are used: once, after a start.
    package static func giveBackStart() {
        giveBackHeap()
        // A debugger's breakpoints are changes of the code, and would be gone.
        guard ProcessTable.text("/proc/self/status")?.contains("TracerPid:\t0\n") == true else { return }
        trilateral_give_back_program()
    }

    /// Gives back free memory of the heap.
    package static func giveBackHeap() { malloc_trim(0) }
}
