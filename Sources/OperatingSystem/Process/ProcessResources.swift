import Glibc

/// What the system must allow this process.
///
/// It is looked at before anything starts: later, in the middle of the work, a library that gets no descriptor or no
/// memory ends the process without a word.
package enum ProcessResources {
    /// What a verb takes, with some to spare.
    package struct Need {
        package var descriptors: Int
        /// Bytes of address space beside what the program takes when it starts.
        package var addressSpace: UInt64

        package static let command = Need(descriptors: 24, addressSpace: 128 << 20)
        /// Without visitors.
        package static let daemon = Need(descriptors: 96, addressSpace: 512 << 20)
    }

    /// Has as many descriptors allowed as the system grants, and checks that all will do.
    ///
    /// - Throws: ``ResourceError``, which says what is too little and how to change it.
    package static func check(_ need: Need) throws(ResourceError) {
        _ = OpenFiles.raiseLimit()
        try checkDescriptors(need.descriptors)
        try checkAddressSpace(need.addressSpace)
    }

    private static func checkDescriptors(_ descriptors: Int) throws(ResourceError) {
        var held: [Int32] = []
        defer { for descriptor in held { close(descriptor) } }
        while held.count < descriptors {
            // Needs no file: a bare root may have none, not even /dev/null.
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else {
                let reason = systemMessage(errno)
                throw ResourceError(
                    """
                    only \(held.count) more files can be opened (\(reason)), and \(descriptors) are needed: raise the \
                    limit (ulimit -n, or LimitNOFILE= in the unit)
                    """
                )
            }
            held.append(descriptor)
        }
    }

    private static func checkAddressSpace(_ addressSpace: UInt64) throws(ResourceError) {
        var space = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &space) == 0, space.rlim_cur != .max else {
            return
        }
        // Reserved and given back: nothing of it is touched.
        let address = mmap(nil, Int(addressSpace), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard address == MAP_FAILED else {
            munmap(address, Int(addressSpace))
            return
        }
        throw ResourceError(
            """
            the limit of \(space.rlim_cur >> 20) MB of address space leaves less than the \(addressSpace >> 20) MB that \
            are needed: raise it (ulimit -v, or LimitAS= in the unit)
            """
        )
    }
}
