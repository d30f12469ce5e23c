import Foundation
import Testing

/// What would compile, or mean, something else on another processor; the compiler here sees only one.
struct ArchitectureTests {
    /// The lines of all sources that need a processor of one kind.
    private static func findings(in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init).filter { line in
            // C's char is signed on x86-64 and unsigned on 64-bit ARM, so that CChar is Int8 or UInt8.
            line.contains(/UInt8(\.init)?\(bitPattern:(?! Int8\()/)
                || line.contains(/Unsafe[A-Za-z]*Pointer<Int8>|to: Int8\.self/)
                || line.contains(/\bFloat(16|80)\b/)
                // A system call by its number.
                || line.contains(/\bsyscall\(\d/)
                || line.contains(/-linux-gnu|#if arch\((?!arm64|x86_64)/)
        }
    }

    @Test func `no source needs one kind of processor`() throws {
        let folder = Contrib.root.appending(path: "Sources")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { name in ["swift", "c", "h", "modulemap"].contains { name.hasSuffix(".\($0)") } }
        #expect(names.count > 500)
        for name in names {
            #expect(try Self.findings(in: Contrib.text("Sources/\(name)")) == [], "\(name)")
        }
    }

    @Test(arguments: [
        "let text = name.map(UInt8.init(bitPattern:))", "UInt8(bitPattern: character)",
        "var name: UnsafeMutablePointer<Int8>?", "bytes.bindMemory(to: Int8.self)", "let x: Float80 = 1",
        "syscall(436, 3, ~0U, 4U)", "/usr/lib/x86_64-linux-gnu/libc.so.6",
    ])
    func `what needs one is found`(line: String) { #expect(Self.findings(in: line) == [line]) }

    @Test(arguments: [
        "UInt8(truncatingIfNeeded: character)", "UInt8(bitPattern: Int8(clamping: rssi))",
        "Int8(bitPattern: byte)", "syscall(SYS_close_range, 3, ~0U, 4U)", "#if arch(arm64)",
    ])
    func `what works on each is not`(line: String) { #expect(Self.findings(in: line) == []) }
}
